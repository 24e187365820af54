#pragma once
#include <cstdint>
#include <vector>

#include "fabrics/clos/clos.hpp"
#include "fabrics/servers/servers.hpp"

namespace lightrail {

/// How the leaves of a network are filled.
struct LeafFill {
  std::uint32_t most = 0;  ///< NICs on a leaf at most, > 0
  bool is_even =
      false;  ///< on as few leaves as hold them, equally many on each; else one leaf after the other
};

/// NICs on the largest leaf.
[[nodiscard]] std::uint32_t largest_leaf(const LeafPlan& plan);

/// Rails of the largest server.
[[nodiscard]] std::uint32_t rail_count(const std::vector<NicPlace>& nics);

/// Leaves in the order of the NICs, in groups of `per_group` leaves (0: one group).
[[nodiscard]] LeafPlan plan_in_order(const std::vector<NicPlace>& nics, LeafFill fill,
                                     std::uint32_t per_group);

/// Pods of servers (`fill.most`: servers of a pod at most), one leaf a rail in each; storage NICs are on
/// leaves of their own behind them, filled evenly with no more than a pod's leaf has. Groups of `per_group`
/// leaves (0: one group), a multiple of the rails.
[[nodiscard]] LeafPlan plan_pods(const std::vector<NicPlace>& nics, LeafFill fill, std::uint32_t per_group);

/// The NICs of each rail by themselves, as plan_in_order.
[[nodiscard]] std::vector<LeafPlan> plan_each_rail(const std::vector<NicPlace>& nics, LeafFill fill,
                                                   std::uint32_t per_group);

}  // namespace lightrail
