#pragma once
#include <string>
#include <vector>

#include "links/optical/optical_spec.hpp"

namespace lightrail {

/// Where the light of one lane goes, from transmitter to receiver, in the order it meets things.
struct LightBudget {
  struct Line {
    std::string what;  ///< "connectors, 2 x 0.5 dB"
    Decibel loss;
    PowerDbm after;  ///< what is left
  };
  std::string path;  ///< "nic0:0 -> ocs0 -> nic1:0"
  PowerDbm launch;
  std::vector<Line> lines;
  PowerDbm sensitivity;
  Metres length;  ///< of all fibre on the way
  Metres reach;   ///< of the transceivers
  double burst_bits = 1;
  Decibel min_margin{0.0};  ///< of the fibres that ask for least

  /// Light that arrives over the sensitivity [dB]; below 0: too little.
  [[nodiscard]] Decibel margin() const;
  [[nodiscard]] double bit_error_rate() const;  ///< before FEC
  [[nodiscard]] double failure() const;         ///< of a codeword of RS(544,514)
  /// The whole budget as a table, ten lines or so, each ended by a newline.
  [[nodiscard]] std::string text() const;
};

/// One stretch of fibre, then perhaps an optical switch.
struct LightSpan {
  const OpticalSpec* fibre = nullptr;
  std::string passes;  ///< name of the optical switch behind it; "" for the last stretch
  Decibel passing_loss{0.0};
};

/// From the transceiver of the first stretch to that of the last. Needs at least one stretch.
[[nodiscard]] LightBudget light_budget(std::string path, const std::vector<LightSpan>& spans);

/// Refuses a margin below the least one (0 dB unless the link says so), with the whole budget printed, and
/// more fibre than the transceivers reach.
void check_budget(const LightBudget& budget, const InputError& place, ErrorList& errors);

}  // namespace lightrail
