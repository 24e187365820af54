#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/model/context.hpp"

namespace lightrail {

/// What a switch of a fabric of groups (dragonfly+) knows beside the lids below it. A leaf has NICs below and
/// the spines of its group above; a spine has the leaves of its group below, and its global links lead to
/// spines of other groups. Every group is one interval of lids, only the last may be shorter.
struct GroupRoute {
  std::uint32_t first_lid = 0, lids_per_group = 1;
  std::uint32_t own = 0;  ///< the switch's group
  bool is_spine = false;
  std::uint16_t down_count = 0;  ///< ports 0 ... down_count - 1 lead down
  std::vector<PortIndex> down;   ///< a spine's ports to leaves
  /// By group: ports on shortest ways there. For its own group: a leaf's uplinks; a spine has none.
  std::vector<std::vector<PortIndex>> to_group;
  /// By group: the other ports that lead away from the NICs. Not for its own group.
  std::vector<std::vector<PortIndex>> around_group;

  /// The group of a lid; to_group.size() or more: of none.
  [[nodiscard]] std::uint32_t group_of(Lid lid) const {
    return lid.value < first_lid ? UINT32_MAX : (lid.value - first_lid) / lids_per_group;
  }
};

}  // namespace lightrail
