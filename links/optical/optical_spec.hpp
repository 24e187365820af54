#pragma once
#include <cstdint>

#include "engine/model/describe.hpp"
#include "links/fec.hpp"

namespace lightrail {

/// A pluggable optical module, one lane's light. Powers are OMA (outer). `tdecq` belongs to `launch`, and
/// `sensitivity_tdecq` to `sensitivity`: data sheets give each power for a signal of that quality.
struct TransceiverSpec {
  PowerDbm launch{};                 ///< least OMA a transmitter sends
  Decibel tdecq{};                   ///< eye closure of a transmitter that sends just `launch`
  PowerDbm sensitivity{};            ///< OMA a receiver needs
  Decibel sensitivity_tdecq{};       ///< eye closure of the signal it needs that for
  Decibel penalty{0.1};              ///< allowance for multi-path interference and dispersion
  Metres reach{500.0};               ///< longest fibre the module is specified for
  SimTime latency = nanoseconds(5);  ///< one pass through the module
  Watts power{0.0};                  ///< one module, all lanes, both directions
  SimTime retraining{0};             ///< from light that returns to data: receiver, equaliser, link up
};
/// Attributes of <transceiver>.
[[nodiscard]] Describe<TransceiverSpec> transceiver_table();

/// A fibre with a transceiver at each end (at one end where it runs to an optical switch).
/// Assumes equal modules at both ends and worst-case powers. Bit errors follow from the margin
/// (bit_errors.hpp); what FEC cannot correct is sent again by the link (replay). Leaves out crosstalk of an
/// optical switch.
struct OpticalSpec {
  BitRate rate{};
  double efficiency = 1.0;
  Metres length{10.0};
  SimTime fibre_delay{
      4'900};               ///< per metre: group index 1.468 / 299,792,458 m/s = 4.8967 ns, taken as 4.9 ns
  Decibel fibre_loss{0.4};  ///< per kilometre
  std::uint32_t connectors = 2;
  Decibel connector_loss{0.5};
  std::uint32_t splices = 0;
  Decibel splice_loss{0.1};
  std::uint32_t circulators = 0;  ///< they join both directions on one fibre: one at each device
  Decibel circulator_loss{0.8};
  Decibel ageing{0.0};      ///< allowance for the module's and the fibre's age and temperature
  double burst_bits = 1;    ///< mean length of bursts of bit errors; 1: bit errors are independent
  Decibel min_margin{0.0};  ///< paths with less are refused
  bool replay = true;       ///< the link sends again what FEC could not correct; else the transport must
  /// From the codeword that failed to its replay leaving, at the sender.
  SimTime replay_turnaround = nanoseconds(200);
  SimTime flap_interval{0};  ///< mean time between two losses of light; 0: none
  /// From the loss of light to its return.
  SimTime flap_time = milliseconds(100);
  Fec fec = Fec::rs_544_514;
  std::uint32_t fec_interleave = 2;
  SimTime fec_decode = nanoseconds(70);
  TransceiverSpec transceiver;

  /// rate times efficiency [bit/s].
  [[nodiscard]] BitRate payload_rate() const;
  [[nodiscard]] SimTime propagation() const;  ///< length times fibre_delay, rounded to the nearest picosecond
  /// One pass through the transmitting module.
  [[nodiscard]] SimTime transmit_latency() const { return transceiver.latency; }
  [[nodiscard]] SimTime receive_latency() const;  ///< module and FEC
  /// From the end of a train that FEC could not correct to its start on the wire once more: there, turned
  /// around, and back.
  [[nodiscard]] SimTime replay_latency() const {
    return 2 * (transmit_latency() + propagation() + receive_latency()) + replay_turnaround;
  }
  [[nodiscard]] double energy_pj_per_bit()
      const;  ///< one module's power: half of each end's, per bit of one direction
};
/// Attributes of an optical <link>.
[[nodiscard]] Describe<OpticalSpec> optical_table();

}  // namespace lightrail
