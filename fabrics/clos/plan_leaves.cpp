#include "fabrics/clos/plan_leaves.hpp"

#include <algorithm>

namespace lightrail {

namespace {

/// Sizes of the parts into which `fill` cuts `count` things, in order.
std::vector<std::uint32_t> part_sizes(std::uint32_t count, LeafFill fill) {
  const std::uint32_t parts = (count + fill.most - 1) / fill.most;
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t i = 0; i < parts; ++i)
    sizes.push_back(fill.is_even ? count / parts + (i < count % parts ? 1 : 0)
                                 : std::min(fill.most, count - i * fill.most));
  return sizes;
}

void fill_leaves(LeafPlan& plan, const std::vector<ComponentId>& nics, LeafFill fill,
                 std::uint32_t per_group) {
  const std::uint32_t first_leaf = plan.leaf_count();
  auto next = nics.begin();
  for (const std::uint32_t size : part_sizes(static_cast<std::uint32_t>(nics.size()), fill)) {
    plan.nics.insert(plan.nics.end(), next, next + size);
    next += size;
    plan.end_leaf();
    if (per_group > 0 && (plan.leaf_count() - first_leaf) % per_group == 0) plan.end_group();
  }
}

}  // namespace

std::uint32_t largest_leaf(const LeafPlan& plan) {
  const std::vector<std::uint32_t> nics = plan.nics_by_leaf();
  return nics.empty() ? 0 : *std::max_element(nics.begin(), nics.end());
}

std::uint32_t rail_count(const std::vector<NicPlace>& nics) {
  std::uint32_t rails = 0;
  for (const NicPlace& place : nics)
    if (!place.is_storage) rails = std::max(rails, place.rail + 1u);
  return rails;
}

LeafPlan plan_in_order(const std::vector<NicPlace>& nics, LeafFill fill, std::uint32_t per_group) {
  LeafPlan plan;
  std::vector<ComponentId> all;
  for (const NicPlace& place : nics) all.push_back(place.nic);
  fill_leaves(plan, all, fill, per_group);
  plan.end_group();
  return plan;
}

LeafPlan plan_pods(const std::vector<NicPlace>& nics, LeafFill fill, std::uint32_t per_group) {
  LeafPlan plan;
  const std::uint32_t rails = std::max(rail_count(nics), 1u);
  const std::uint32_t pods_per_group = per_group / rails;
  const auto is_storage = [](const NicPlace& place) { return place.is_storage; };
  const auto servers_end = std::find_if(nics.begin(), nics.end(), is_storage);
  const std::uint32_t servers =
      servers_end == nics.begin() ? 0 : servers_end[-1].server + 1 - nics.front().server;
  std::vector<ComponentId> storage;
  std::size_t begin = 0;
  for (const std::uint32_t size : part_sizes(servers, fill)) {
    if (begin == nics.size() || nics[begin].is_storage) break;  // servers without a NIC here
    const std::uint32_t first_server = nics[begin].server;
    std::size_t end = begin;
    while (end < nics.size() && !nics[end].is_storage && nics[end].server < first_server + size) ++end;
    std::vector<std::vector<ComponentId>> rail(rails);
    for (; begin < end; ++begin) rail[nics[begin].rail].push_back(nics[begin].nic);
    for (const auto& leaf : rail) {
      plan.nics.insert(plan.nics.end(), leaf.begin(), leaf.end());
      plan.end_leaf();
    }
    ++plan.pods;
    if (per_group > 0 && plan.pods % pods_per_group == 0) plan.end_group();
  }
  if (fill.is_even && plan.pods > 0) fill.most = largest_leaf(plan);
  if (per_group > 0 && begin < nics.size()) plan.end_group();
  for (; begin < nics.size(); ++begin) storage.push_back(nics[begin].nic);
  fill_leaves(plan, storage, fill, per_group);
  plan.end_group();
  return plan;
}

std::vector<LeafPlan> plan_each_rail(const std::vector<NicPlace>& nics, LeafFill fill,
                                     std::uint32_t per_group) {
  std::vector<std::vector<NicPlace>> rails(rail_count(nics));
  for (const NicPlace& place : nics) rails[place.rail].push_back(place);
  std::vector<LeafPlan> plans;
  for (const auto& rail : rails) plans.push_back(plan_in_order(rail, fill, per_group));
  return plans;
}

}  // namespace lightrail
