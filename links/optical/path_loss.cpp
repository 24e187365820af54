#include "links/optical/path_loss.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/random.hpp"

namespace lightrail {
namespace {

/// Purposes of random numbers; ports are added.
constexpr std::uint32_t drift_purpose = 0x10000, path_purpose = 0x20000;

}  // namespace

Decibel PathLoss::of(std::uint64_t seed, ComponentId id, std::uint16_t in, std::uint16_t out) const {
  double loss = insertion.value;
  if (path_spread.value > 0) {
    Random path(seed, id, path_purpose + (std::uint32_t{in} * 40'503u ^ out) * 2u);
    loss += path.normal(0, path_spread.value);
  }
  if (drift_spread.value > 0)
    for (const std::uint16_t port : {in, out}) {
      Random drift(seed, id, drift_purpose + port);
      loss += std::abs(drift.normal(0, drift_spread.value));
    }
  return Decibel{std::max(loss, 0.0)};
}

}  // namespace lightrail
