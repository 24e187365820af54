#include "network/health/light_losses.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/error.hpp"

namespace lightrail {
namespace {

/// Purpose of random numbers; the port is added.
constexpr std::uint32_t flap_purpose = 0x4d000000;

}  // namespace

std::optional<LightLosses> LightLosses::of(const Model& model, LinkId link) {
  if (!link.is_valid()) return std::nullopt;
  const LinkRecord& record = model.links[link.value];
  const LinkLight& light = model.link_classes[record.link_class].light;
  if (light.flap_interval.count() == 0) return std::nullopt;
  return LightLosses(model.seed, record.from, record.from_port, light);
}

LightLosses::LightLosses(std::uint64_t seed, ComponentId sender, std::uint32_t port, const LinkLight& light)
    : interval_(light.flap_interval),
      length_(light.flap_time + light.retraining),
      draws_(seed, sender, flap_purpose + port) {
  LIGHTRAIL_EXPECT(interval_ > SimTime{0});
  next_ = after(SimTime{0});
}

Outage LightLosses::after(SimTime from) {
  const double gap = draws_.exponential(static_cast<double>(interval_.count()));
  const std::int64_t room = (time_never - from).count() / 2;
  const double wait = std::min(gap, static_cast<double>(room));
  const SimTime down = from + SimTime{std::max<std::int64_t>(1, std::llround(wait))};
  return {down, down + length_};
}

SimTime LightLosses::first_fit(SimTime start, SimTime busy) {
  while (start + busy > next_.down) {
    start = std::max(start, next_.up);
    next_ = after(next_.up);
  }
  return start;
}

bool has_flapping_links(const Model& model) {
  return std::any_of(model.links.begin(), model.links.end(), [&](const LinkRecord& link) {
    return model.link_classes[link.link_class].light.flap_interval > SimTime{0};
  });
}

}  // namespace lightrail
