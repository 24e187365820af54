#pragma once
#include <cstdint>

#include "engine/model/describe.hpp"
#include "links/fec.hpp"

namespace lightrail {

/// A copper cable: twinax between a NIC and a switch, or a backplane.
/// Assumes a constant velocity and one FEC decoder, at the receiver. Leaves out crosstalk and bit errors.
struct ElectricalSpec {
  BitRate rate{};           ///< of the line, after its encoding and FEC
  double efficiency = 1.0;  ///< payload share of the rate: headers, flow control
  Metres length{2.0};
  double velocity = 0.7;  ///< of light in vacuum
  SimTime serdes_latency{};
  Fec fec = Fec::none;
  std::uint32_t fec_interleave = 1;
  SimTime fec_decode{};
  double energy_pj_per_bit = 0;

  /// rate times efficiency [bit/s].
  [[nodiscard]] BitRate payload_rate() const;
  /// length over velocity [ps].
  [[nodiscard]] SimTime propagation() const;
  [[nodiscard]] SimTime receive_latency() const;  ///< serdes and FEC
};
/// Attributes of a copper <link>.
[[nodiscard]] Describe<ElectricalSpec> electrical_table();

/// NVLink between a GPU and an NVSwitch: `links` parallel links used as one. Latency is one pass GPU to
/// switch.
struct NvlinkSpec {
  std::uint32_t links = 0;
  BitRate rate_per_link{};  ///< payload, one direction
  SimTime latency{};
  double energy_pj_per_bit = 0;

  /// Of all links together, one direction [bit/s].
  [[nodiscard]] BitRate payload_rate() const { return BitRate{rate_per_link.value * links}; }
};
/// Attributes of an NVLink <link>.
[[nodiscard]] Describe<NvlinkSpec> nvlink_table();

/// PCI Express: the rate follows from generation and lanes, the efficiency covers transaction and link layer
/// packets.
struct PcieSpec {
  std::uint32_t generation = 4;
  std::uint32_t lanes = 16;
  double efficiency = 0.9;
  SimTime latency = nanoseconds(150);  ///< one way, root complex or switch included
  double energy_pj_per_bit = 0;

  [[nodiscard]] BitRate line_rate() const;     ///< after 128b/130b (generations 3-5) or flit encoding (6)
  [[nodiscard]] BitRate payload_rate() const;  ///< line_rate() times efficiency [bit/s]
};
/// Attributes of a PCI Express <link>.
[[nodiscard]] Describe<PcieSpec> pcie_table();

/// rate * efficiency, rounded down to whole bit/s.
[[nodiscard]] BitRate scaled(BitRate rate, double efficiency);

}  // namespace lightrail
