#include "links/optical/optical_spec.hpp"

#include <cmath>

#include "links/electrical/electrical_spec.hpp"
#include "links/fec_choices.hpp"

namespace lightrail {

BitRate OpticalSpec::payload_rate() const {
  return scaled(rate, efficiency);
}

SimTime OpticalSpec::propagation() const {
  return SimTime{std::llround(length.value * static_cast<double>(fibre_delay.count()))};
}

SimTime OpticalSpec::receive_latency() const {
  return transceiver.latency + fec_latency(fec, fec_interleave, fec_decode, rate);
}

double OpticalSpec::energy_pj_per_bit() const {
  return transceiver.power.value * 1e12 / static_cast<double>(rate.value);
}

Describe<TransceiverSpec> transceiver_table() {
  using S = TransceiverSpec;
  const PowerDbm low{-60.0}, high{30.0};
  const Decibel none{0.0}, most{60.0};
  Describe<S> table;
  table.required("launch", &S::launch, "least OMA a transmitter sends, one lane", low, high)
      .required("tdecq", &S::tdecq, "eye closure of a transmitter that sends just that", none, most)
      .required("sensitivity", &S::sensitivity, "OMA a receiver needs, one lane", low, high)
      .required("sensitivity-tdecq", &S::sensitivity_tdecq, "eye closure of the signal it needs that for",
                none, most)
      .field("penalty", &S::penalty, "allowance for multi-path interference and dispersion", none, most)
      .field("reach", &S::reach, "longest fibre the module is specified for", Metres{0.1}, Metres{1e6})
      .field("latency", &S::latency, "one pass through the module", SimTime{0}, milliseconds(1))
      .field("power", &S::power, "of one module", Watts{0.0}, Watts{1000.0})
      .field("retraining", &S::retraining, "from light that returns to data that flows", SimTime{0},
             milliseconds(3'600'000));
  return table;
}

Describe<OpticalSpec> optical_table() {
  using S = OpticalSpec;
  const Decibel none{0.0}, most{60.0};
  Describe<S> table;
  table
      .required("rate", &S::rate, "line rate after encoding and FEC", BitRate{1'000'000},
                BitRate{100'000'000'000'000})
      .field("efficiency", &S::efficiency, "payload share of the line rate", 0.01, 1.0)
      .field("length", &S::length, "of the fibre", Metres{0.0}, Metres{1e6})
      .field("fibre-delay", &S::fibre_delay, "per metre of fibre", nanoseconds(3), nanoseconds(10))
      .field("fibre-loss", &S::fibre_loss, "per kilometre of fibre", none, most)
      .field("connectors", &S::connectors, "mated connectors on the way", 0u, 100u)
      .field("connector-loss", &S::connector_loss, "each", none, most)
      .field("splices", &S::splices, "splices on the way", 0u, 1000u)
      .field("splice-loss", &S::splice_loss, "each", none, most)
      .field("circulators", &S::circulators, "circulators on the way, for both directions on one fibre", 0u,
             10u)
      .field("circulator-loss", &S::circulator_loss, "each", none, most)
      .field("ageing", &S::ageing, "allowance for age and temperature", none, most)
      .field("burst-bits", &S::burst_bits, "mean length of bursts of bit errors; 1: independent bits", 1.0,
             140.0)
      .field("least-margin", &S::min_margin,
             "light to spare that a path must have; below 0 for studies of "
             "bit errors",
             Decibel{-3.0}, most)
      .field("replay", &S::replay, "the link sends again what FEC could not correct")
      .field("replay-turnaround", &S::replay_turnaround,
             "of a request to send again, beside the way there "
             "and back",
             SimTime{0}, milliseconds(1))
      .field("flap-interval", &S::flap_interval, "mean time between two losses of light; 0: none", SimTime{0},
             milliseconds(3'600'000'000))
      .field("flap-time", &S::flap_time, "how long the light stays away", SimTime{0}, milliseconds(3'600'000))
      .choice("fec", &S::fec, "forward error correction at the receiver: rs-544-514", fec_choices())
      .field("fec-interleave", &S::fec_interleave, "codewords collected before decoding", 1u, 16u)
      .field("fec-decode", &S::fec_decode, "time of the decoder itself", SimTime{0}, milliseconds(1));
  return table;
}

}  // namespace lightrail
