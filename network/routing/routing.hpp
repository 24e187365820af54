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

/// The port of a RouteChoice, or of NearRoute::by_digit(), that says: no way.
inline constexpr PortIndex unroutable = 0xfffe;

/// Where a switch sends a lid. Fabrics: every child subtree is one interval of lids, so routing is
/// arithmetic; what is in no child goes up, or by its group. Explicit graphs: one list of ports a lid.
struct SwitchRoute {
  /// The ports that lead to a lid: candidates[i] = first + i, or listed; empty: unroutable.
  struct Candidates {
    PortIndex first = 0;
    std::uint16_t count = 0;
    const PortIndex* list = nullptr;
    PortIndex operator[](std::uint32_t i) const { return list ? list[i] : static_cast<PortIndex>(first + i); }
  };
  struct Children {
    std::uint32_t lid_low = 0, lid_high = 0;  ///< [low, high)
    std::uint32_t lids_per_child = 1;
    PortIndex first_port = 0;
    std::uint16_t ports_per_child = 1;  ///< parallel links to one child

    [[nodiscard]] bool have(Lid lid) const { return lid.value >= lid_low && lid.value < lid_high; }
    /// To one that they have.
    [[nodiscard]] Candidates candidates(Lid lid) const {
      const std::uint32_t index = (lid.value - lid_low) / lids_per_child;
      return {static_cast<PortIndex>(first_port + index * ports_per_child), ports_per_child, nullptr};
    }
  };
  std::vector<Children> down;
  PortIndex first_up = 0;
  std::uint16_t up_count = 0;
  std::vector<std::vector<PortIndex>> listed;  ///< by lid; not empty: replaces all the above
  std::shared_ptr<const GroupRoute> groups{};  ///< fabrics of groups: instead of the ports up
  NicRole role = NicRole::compute;             ///< of the NICs that its fabric joins
  bool has_twin = false;                       ///< a leaf whose NICs another one has, too (dual ToR)

  [[nodiscard]] Candidates candidates(Lid lid) const;
};

/// A route in the memory of who asks it: as far as most switches have one, a row of children and ports up.
/// What is more than that it reads from the route itself. Fixed.
class NearRoute {
 public:
  /// Null: nothing is routable. It outlives this.
  explicit NearRoute(const SwitchRoute* route) : route_(route) {
    if (!route || !route->listed.empty()) return;
    if (!route->down.empty()) first_ = route->down.front();
    first_up_ = route->first_up, up_count_ = route->up_count;
    is_whole_ = route->down.size() < 2 && !route->groups;
  }

  [[nodiscard]] const SwitchRoute* route() const { return route_; }
  /// As SwitchRoute's.
  [[nodiscard]] SwitchRoute::Candidates candidates(Lid lid) const {
    if (first_.have(lid)) return first_.candidates(lid);
    if (is_whole_) return up();
    return route_ ? route_->candidates(lid) : SwitchRoute::Candidates{};
  }
  /// The port that destination-mod-k takes to a lid: up by the digit of the lid that this tier decides, so
  /// that tiers do not choose alike, down the parallel links in turns; `unroutable`: none leads there.
  [[nodiscard, gnu::always_inline]] PortIndex by_digit(Lid lid) const {
    if (first_.have(lid)) {
      const PortIndex first = first_.candidates(lid).first;
      return first_.ports_per_child == 1 ? first
                                         : static_cast<PortIndex>(first + lid.value % first_.ports_per_child);
    }
    if (!is_whole_ || up_count_ == 0) return by_digit_of_others(lid);
    return static_cast<PortIndex>(first_up_ + lid.value / first_.lids_per_child % up_count_);
  }
  /// All ports up.
  [[nodiscard]] SwitchRoute::Candidates up() const { return {first_up_, up_count_, nullptr}; }

 private:
  [[nodiscard]] PortIndex by_digit_of_others(Lid lid) const;

  const SwitchRoute* route_;
  SwitchRoute::Children first_{};
  PortIndex first_up_ = 0;
  std::uint16_t up_count_ = 0;
  bool is_whole_ = false;
};

/// All switches' routes; shared by switches of one shape where possible.
struct RoutingTables {
  std::vector<SwitchRoute> routes;
  std::unordered_map<std::uint32_t, std::uint32_t> route_of;  ///< component id -> index into routes

  [[nodiscard]] const SwitchRoute& of(ComponentId id) const { return routes[route_of.at(id.value)]; }
};

}  // namespace lightrail
