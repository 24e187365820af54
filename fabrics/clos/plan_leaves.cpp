#include "fabrics/clos/plan_leaves.hpp"

#include <algorithm>

namespace lightrail {

namespace {

void fill(LeafPlan& plan, const std::vector<ComponentId>& nics, std::uint32_t per_leaf,
          std::uint32_t per_group) {
  std::uint32_t in_leaf = 0;
  const std::uint32_t first_leaf = plan.leaf_count();
  for (const ComponentId nic : nics) {
    plan.nics.push_back(nic);
    if (++in_leaf < per_leaf) continue;
    in_leaf = 0;
    plan.end_leaf();
    if (per_group > 0 && (plan.leaf_count() - first_leaf) % per_group == 0) plan.end_group();
  }
  plan.end_leaf();
}

}  // namespace

std::uint32_t rail_count(const std::vector<NicPlace>& nics) {
  std::uint32_t rails = 0;
  for (const NicPlace& place : nics)
    if (!place.is_storage) rails = std::max(rails, place.rail + 1u);
  return rails;
}

LeafPlan plan_in_order(const std::vector<NicPlace>& nics, std::uint32_t per_leaf, std::uint32_t per_group) {
  LeafPlan plan;
  std::vector<ComponentId> all;
  for (const NicPlace& place : nics) all.push_back(place.nic);
  fill(plan, all, per_leaf, per_group);
  plan.end_group();
  return plan;
}

LeafPlan plan_pods(const std::vector<NicPlace>& nics, std::uint32_t per_leaf, std::uint32_t per_group) {
  LeafPlan plan;
  const std::uint32_t rails = std::max(rail_count(nics), 1u);
  const std::uint32_t pods_per_group = per_group / rails;
  std::vector<ComponentId> storage;
  std::size_t begin = 0;
  std::uint32_t pods = 0;
  while (begin < nics.size() && !nics[begin].is_storage) {
    const std::uint32_t first_server = nics[begin].server;
    std::size_t end = begin;
    while (end < nics.size() && !nics[end].is_storage && nics[end].server < first_server + per_leaf) ++end;
    std::vector<std::vector<ComponentId>> rail(rails);
    for (; begin < end; ++begin) rail[nics[begin].rail].push_back(nics[begin].nic);
    for (const auto& leaf : rail) {
      plan.nics.insert(plan.nics.end(), leaf.begin(), leaf.end());
      plan.end_leaf();
    }
    if (per_group > 0 && ++pods % pods_per_group == 0) plan.end_group();
  }
  if (per_group > 0 && begin < nics.size()) plan.end_group();
  for (; begin < nics.size(); ++begin) storage.push_back(nics[begin].nic);
  fill(plan, storage, per_leaf, per_group);
  plan.end_group();
  return plan;
}

std::vector<LeafPlan> plan_each_rail(const std::vector<NicPlace>& nics, std::uint32_t per_leaf,
                                     std::uint32_t per_group) {
  std::vector<std::vector<NicPlace>> rails(rail_count(nics));
  for (const NicPlace& place : nics) rails[place.rail].push_back(place);
  std::vector<LeafPlan> plans;
  for (const auto& rail : rails) plans.push_back(plan_in_order(rail, per_leaf, per_group));
  return plans;
}

}  // namespace lightrail
