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

PortIndex NearRoute::by_digit_of_others(Lid lid) const {
  const SwitchRoute::Candidates ports = candidates(lid);
  if (ports.count == 0) return unroutable;
  const bool is_up = !ports.list && ports.first == first_up_ && ports.count == up_count_;
  return ports[(is_up ? lid.value / first_.lids_per_child : lid.value) % ports.count];
}

}  // namespace lightrail
