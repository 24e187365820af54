#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/model/context.hpp"
#include "network/routing/group_route.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

/// Where a switch sends a lid. Fabrics: every child subtree is one interval of lids, so routing is
/// arithmetic; what is in no child goes up, or by its group. Explicit graphs: one list of ports a lid.
struct SwitchRoute {
  struct Children {
    std::uint32_t lid_low = 0, lid_high = 0;  ///< [low, high)
    std::uint32_t lids_per_child = 1;
    PortIndex first_port = 0;
    std::uint16_t ports_per_child = 1;  ///< parallel links to one child
  };
  std::vector<Children> down;
  PortIndex first_up = 0;
  std::uint16_t up_count = 0;
  std::vector<std::vector<PortIndex>> listed;  ///< by lid; not empty: replaces all the above
  std::shared_ptr<const GroupRoute> groups{};  ///< fabrics of groups: instead of the ports up
  NicRole role = NicRole::compute;             ///< of the NICs that its fabric joins
  bool has_twin = false;                       ///< a leaf whose NICs another one has, too (dual ToR)

  /// The ports that lead to `lid`: candidates[i] = first + i, or listed; empty: unroutable.
  struct Candidates {
    PortIndex first = 0;
    std::uint16_t count = 0;
    const PortIndex* list = nullptr;
    PortIndex operator[](std::uint32_t i) const { return list ? list[i] : static_cast<PortIndex>(first + i); }
  };
  [[nodiscard]] Candidates candidates(Lid lid) const;
};

/// All switches' routes; shared by switches of one shape where possible.
struct RoutingTables {
  std::vector<SwitchRoute> routes;
  std::unordered_map<std::uint32_t, std::uint32_t> route_of;  ///< component id -> index into routes

  [[nodiscard]] const SwitchRoute& of(ComponentId id) const { return routes[route_of.at(id.value)]; }
};

}  // namespace lightrail
