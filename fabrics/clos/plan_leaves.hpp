#pragma once
#include <cstdint>
#include <vector>

#include "fabrics/clos/clos.hpp"
#include "fabrics/servers/servers.hpp"

namespace lightrail {

/// Rails of the largest server.
[[nodiscard]] std::uint32_t rail_count(const std::vector<NicPlace>& nics);

/// Leaves of `per_leaf` NICs filled one after the other, in groups of `per_group` leaves (0: one group).
[[nodiscard]] LeafPlan plan_in_order(const std::vector<NicPlace>& nics, std::uint32_t per_leaf,
                                     std::uint32_t per_group);

/// Pods of `per_leaf` servers, one leaf a rail in each; storage NICs fill leaves of their own behind them.
/// Groups of `per_group` leaves (0: one group), a multiple of the rails.
[[nodiscard]] LeafPlan plan_pods(const std::vector<NicPlace>& nics, std::uint32_t per_leaf,
                                 std::uint32_t per_group);

/// The NICs of each rail by themselves, as plan_in_order.
[[nodiscard]] std::vector<LeafPlan> plan_each_rail(const std::vector<NicPlace>& nics, std::uint32_t per_leaf,
                                                   std::uint32_t per_group);

}  // namespace lightrail
