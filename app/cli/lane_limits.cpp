#include "app/cli/lane_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "network/port/device_traits.hpp"
#include "network/routing/packet_switch_traits.hpp"

namespace lightrail {

LaneLimit lane_limit(const Spec& spec) {
  LaneLimit limit;
  const auto* buffered = dynamic_cast<const BufferedSpec*>(&spec);
  const DeviceRole role = role_of(spec);
  if (!buffered || (role != DeviceRole::nic && role != DeviceRole::packet_switch)) return limit;
  const auto* traits = dynamic_cast<const PacketSwitchTraits*>(&spec);
  const std::uint32_t classes = traits ? traits->routing_kind().lane_classes : 1;
  limit.lanes = buffered->input_buffer(0).lanes / classes;
  limit.of = role == DeviceRole::nic ? "a NIC of the fabric" : "a switch of the fabric";
  if (classes == 1) return limit;
  limit.per_class = std::max(limit.lanes, 1u);
  limit.of += fmt::format(", whose routing takes {} for each to be free of deadlock,", classes);
  return limit;
}

LaneLimit lane_limit(const Model& model) {
  LaneLimit least;
  for (const auto& spec : model.specs) {
    const LaneLimit own = lane_limit(*spec);
    least.per_class = std::min(least.per_class, own.per_class);
    if (own.lanes < least.lanes) least.lanes = own.lanes, least.of = own.of;
  }
  return least;
}

}  // namespace lightrail
