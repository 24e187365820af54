#include "workloads/job/place_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/base/error.hpp"
#include "engine/base/id.hpp"
#include "engine/base/random.hpp"

namespace lightrail {
namespace {

constexpr std::uint32_t placement_purpose = 0x4a000001;

/// Free GPUs of one server, ascending.
struct FreeServer {
  std::vector<std::uint32_t> gpus;
  std::uint32_t size = 0;  ///< with those that are taken
  std::uint32_t leaf = 0;
};

std::vector<FreeServer> free_servers(const GpuSlots& slots) {
  std::vector<FreeServer> servers;
  for (std::uint32_t gpu = 0; gpu < slots.server.size(); ++gpu) {
    if (gpu == 0 || slots.server[gpu] != slots.server[gpu - 1]) servers.push_back({{}, 0, slots.leaf[gpu]});
    ++servers.back().size;
    if (slots.job[gpu] == GpuSlots::nobody) servers.back().gpus.push_back(gpu);
  }
  std::erase_if(servers, [](const FreeServer& server) { return server.gpus.empty(); });
  return servers;
}

template <class T>
void shuffle(std::vector<T>& values, Random random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

/// In turn the next one of each leaf, leaves in the order of their first servers.
std::vector<FreeServer> leaf_by_leaf(std::vector<FreeServer> servers) {
  std::vector<std::vector<FreeServer>> leaves;
  std::map<std::uint32_t, std::size_t> place;
  for (FreeServer& server : servers) {
    const auto [known, is_new] = place.emplace(server.leaf, leaves.size());
    if (is_new) leaves.emplace_back();
    leaves[known->second].push_back(std::move(server));
  }
  std::vector<FreeServer> ordered;
  for (std::size_t turn = 0; ordered.size() < servers.size(); ++turn)
    for (auto& leaf : leaves)
      if (turn < leaf.size()) ordered.push_back(std::move(leaf[turn]));
  return ordered;
}

/// Free GPUs in the order in which the policy gives them.
std::vector<std::uint32_t> in_order(Placement placement, const GpuSlots& slots, Random random) {
  std::vector<FreeServer> servers = free_servers(slots);
  switch (placement) {
    case Placement::packed:
    case Placement::random:
      break;
    case Placement::rail_aligned:
      std::erase_if(servers, [](const FreeServer& server) { return server.gpus.size() < server.size; });
      break;
    case Placement::spread:
      servers = leaf_by_leaf(std::move(servers));
      break;
    case Placement::random_servers:
      shuffle(servers, random);
      break;
  }
  std::vector<std::uint32_t> gpus;
  for (const FreeServer& server : servers) gpus.insert(gpus.end(), server.gpus.begin(), server.gpus.end());
  if (placement == Placement::random) shuffle(gpus, random);
  return gpus;
}

}  // namespace

const std::vector<std::pair<std::string, Placement>>& placement_names() {
  static const std::vector<std::pair<std::string, Placement>> names{
      {"packed", Placement::packed},
      {"rail-aligned", Placement::rail_aligned},
      {"spread", Placement::spread},
      {"random", Placement::random},
      {"random-servers", Placement::random_servers}};
  return names;
}

std::uint32_t GpuSlots::free_count() const {
  return static_cast<std::uint32_t>(std::count(job.begin(), job.end(), nobody));
}

std::string place_gpus(Placement placement, std::uint32_t count, std::uint32_t job, std::uint64_t seed,
                       GpuSlots& slots, std::vector<std::uint32_t>& gpus) {
  LIGHTRAIL_EXPECT(slots.server.size() == slots.job.size() && slots.leaf.size() == slots.job.size());
  gpus = in_order(placement, slots, Random(seed, ComponentId{job}, placement_purpose));
  if (count > gpus.size())
    return fmt::format("{} GPUs are not there: {} of {} are free{}", count, slots.free_count(),
                       slots.job.size(),
                       placement == Placement::rail_aligned
                           ? fmt::format(", {} of them in servers that are free as a whole", gpus.size())
                           : "");
  gpus.resize(count);
  if (placement == Placement::rail_aligned && count > 0) {
    const std::uint32_t last = slots.server[gpus.back()];
    for (std::uint32_t gpu = gpus.back() + 1; gpu < slots.server.size(); ++gpu)
      if (slots.server[gpu] == last)
        return fmt::format("{} GPUs are no whole number of servers, which rail-aligned takes", count);
  }
  for (const std::uint32_t gpu : gpus) slots.job[gpu] = job;
  return "";
}

}  // namespace lightrail
