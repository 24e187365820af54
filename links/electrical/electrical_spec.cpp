#include "links/electrical/electrical_spec.hpp"

#include <cmath>

#include "links/fec_choices.hpp"

namespace lightrail {

namespace {
constexpr double light_ps_per_metre = 1e12 / 299'792'458.0;
}

BitRate scaled(BitRate rate, double efficiency) {
  return BitRate{static_cast<std::int64_t>(std::floor(static_cast<double>(rate.value) * efficiency))};
}

BitRate ElectricalSpec::payload_rate() const {
  return scaled(rate, efficiency);
}

SimTime ElectricalSpec::propagation() const {
  return SimTime{std::llround(length.value * light_ps_per_metre / velocity)};
}

SimTime ElectricalSpec::receive_latency() const {
  return serdes_latency + fec_latency(fec, fec_interleave, fec_decode, rate);
}

BitRate PcieSpec::line_rate() const {
  // PCI Express base specification: 8, 16, 32, 64 GT/s a lane; 128b/130b up to generation 5; generation 6
  // carries 236 of 256 flit bytes as transaction layer data.
  const std::int64_t transfers = std::int64_t{1'000'000'000} << generation;
  const std::int64_t raw = transfers * lanes;
  return BitRate{generation >= 6 ? raw / 256 * 236 : raw / 130 * 128};
}

BitRate PcieSpec::payload_rate() const {
  return scaled(line_rate(), efficiency);
}

Describe<ElectricalSpec> electrical_table() {
  using S = ElectricalSpec;
  Describe<S> table;
  table
      .required("rate", &S::rate, "line rate after encoding and FEC", BitRate{1'000'000},
                BitRate{100'000'000'000'000})
      .field("efficiency", &S::efficiency, "payload share of the line rate", 0.01, 1.0)
      .field("length", &S::length, "of the cable", Metres{0.0}, Metres{100.0})
      .field("velocity", &S::velocity, "propagation, as a share of light in vacuum", 0.1, 1.0)
      .field("serdes-latency", &S::serdes_latency, "serialiser and deserialiser together", SimTime{0},
             milliseconds(1))
      .choice("fec", &S::fec, "forward error correction at the receiver", fec_choices())
      .field("fec-interleave", &S::fec_interleave, "codewords collected before decoding", 1u, 16u)
      .field("fec-decode", &S::fec_decode, "time of the decoder itself", SimTime{0}, milliseconds(1))
      .field("energy-pj-per-bit", &S::energy_pj_per_bit, "energy of both ends", 0.0, 1e6);
  return table;
}

Describe<NvlinkSpec> nvlink_table() {
  using S = NvlinkSpec;
  Describe<S> table;
  table.required("links", &S::links, "parallel NVLinks of a GPU", 1u, 64u)
      .required("rate-per-link", &S::rate_per_link, "payload of one link, one direction", BitRate{1'000'000},
                BitRate{10'000'000'000'000})
      .required("latency", &S::latency, "GPU to switch, one way", SimTime{1}, milliseconds(1))
      .field("energy-pj-per-bit", &S::energy_pj_per_bit, "energy of both ends", 0.0, 1e6);
  return table;
}

Describe<PcieSpec> pcie_table() {
  using S = PcieSpec;
  Describe<S> table;
  table.required("generation", &S::generation, "3, 4, 5 or 6", 3u, 6u)
      .field("lanes", &S::lanes, "x1 to x16", 1u, 16u)
      .field("efficiency", &S::efficiency,
             "payload share after encoding: packet headers and acknowledgements", 0.01, 1.0)
      .field("latency", &S::latency, "one way, root complex or switch included", SimTime{1}, milliseconds(1))
      .field("energy-pj-per-bit", &S::energy_pj_per_bit, "energy of both ends", 0.0, 1e6);
  return table;
}

}  // namespace lightrail
