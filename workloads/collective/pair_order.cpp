#include "workloads/collective/pair_order.hpp"

#include <bit>

#include "workloads/collective/group_plan.hpp"

namespace lightrail {
namespace {

/// The differences modulo n in NCCL's order.
std::vector<std::uint32_t> differences(std::uint32_t n) {
  const std::uint32_t power = std::bit_ceil(n);
  std::vector<std::uint32_t> all;
  for (std::uint32_t round = 0, at = 0; round < power; at = (at + ++round) % power)
    if (at < n) all.push_back(at);
  return all;
}

}  // namespace

std::vector<std::uint32_t> pair_order(const GroupPlan& plan, std::uint32_t me, bool is_receiving) {
  const std::uint32_t servers = plan.is_even() ? plan.servers() : 1, places = plan.size() / servers;
  const auto moved = [is_receiving](std::uint32_t from, std::uint32_t by, std::uint32_t n) {
    return (is_receiving ? from + n - by : from + by) % n;
  };
  const std::vector<std::uint32_t> place_differences = differences(places);
  std::vector<std::uint32_t> order;
  order.reserve(plan.size());
  for (const std::uint32_t server : differences(servers))
    for (const std::uint32_t place : place_differences)
      order.push_back(moved(me / places, server, servers) * places + moved(me % places, place, places));
  return order;
}

}  // namespace lightrail
