#include "network/routing/routing.hpp"

namespace lightrail {

SwitchRoute::Candidates SwitchRoute::candidates(Lid lid) const {
  if (!listed.empty()) {
    if (lid.value >= listed.size()) return {};
    const auto& ports = listed[lid.value];
    return {0, static_cast<std::uint16_t>(ports.size()), ports.data()};
  }
  for (const Children& child : down)
    if (child.have(lid)) return child.candidates(lid);
  if (groups) {
    const std::uint32_t group = groups->group_of(lid);
    if (group >= groups->to_group.size()) return {};
    const auto& ports = groups->to_group[group];
    return {0, static_cast<std::uint16_t>(ports.size()), ports.data()};
  }
  return {first_up, up_count, nullptr};
}

}  // namespace lightrail
