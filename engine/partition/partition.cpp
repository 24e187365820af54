#include "engine/partition/partition.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/base/error.hpp"
#include "engine/partition/atom_graph.hpp"

namespace lightrail {
namespace {

/// Consecutive atoms, cut where the running weight passes each rank's share.
std::vector<std::int32_t> split_in_blocks(const AtomGraph& graph, int ranks) {
  const auto atoms = static_cast<std::int64_t>(graph.weight.size());
  std::int64_t total = 0, before = 0;
  for (auto w : graph.weight) total += w;
  std::vector<std::int32_t> rank_of(graph.weight.size());
  for (std::int64_t a = 0; a < atoms; ++a) {
    const std::int64_t weight = graph.weight[static_cast<std::size_t>(a)];
    const std::int64_t middle = 2 * before + weight;  // in half units of weight
    rank_of[static_cast<std::size_t>(a)] =
        static_cast<std::int32_t>(std::min<std::int64_t>(middle * ranks / (2 * total), ranks - 1));
    before += weight;
  }
  return rank_of;
}

/// By METIS, cut only at the longest links that leave every rank at most an eighth more than its share: the
/// longer the links that are cut, the fewer windows. Empty where METIS cuts nothing.
std::vector<std::int32_t> split_at_long_links(const Model& model, int ranks) {
  std::vector<SimTime> widths;
  for (const LinkRecord& link : model.links) widths.push_back(model.link_classes[link.link_class].latency);
  std::sort(widths.begin(), widths.end(), std::greater<>());
  widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
  for (SimTime width : widths) {
    const AtomClusters clusters = clusters_within(model, width);
    if (clusters.count < static_cast<std::uint32_t>(ranks)) continue;
    const AtomGraph graph = make_atom_graph(model, clusters);
    const std::int64_t total = std::accumulate(graph.weight.begin(), graph.weight.end(), std::int64_t{0});
    const std::int64_t most = total * 9 / (8 * std::int64_t{ranks});
    if (*std::max_element(graph.weight.begin(), graph.weight.end()) > most) continue;
    const std::vector<std::int32_t> part = split_by_metis(graph, ranks);
    if (part.empty()) continue;
    std::vector<std::int64_t> load(static_cast<std::size_t>(ranks));
    for (std::size_t c = 0; c < part.size(); ++c) load[static_cast<std::size_t>(part[c])] += graph.weight[c];
    if (*std::max_element(load.begin(), load.end()) > most) continue;
    std::vector<std::int32_t> rank_of;
    for (std::uint32_t cluster : clusters.of) rank_of.push_back(part[cluster]);
    return rank_of;
  }
  return {};
}

void measure(const Model& model, Partition& partition) {
  for (const LinkRecord& link : model.links) {
    if (partition.rank_of(model.components[link.from.value]) ==
        partition.rank_of(model.components[link.to.value]))
      continue;
    ++partition.cut_links;
    partition.lookahead = std::min(partition.lookahead, model.link_classes[link.link_class].latency);
  }
}

}  // namespace

bool has_metis() {
#ifdef LIGHTRAIL_HAS_METIS
  return true;
#else
  return false;
#endif
}

Partition make_partition(const Model& model, int ranks, const PartitionPlan& plan) {
  LIGHTRAIL_EXPECT(ranks >= 1 && plan.pieces >= 1);
  if (plan.partitioner == Partitioner::metis && !has_metis())
    throw InputErrors(InputError{"", 0, "partitioner 'metis' is not in this build (choose 'blocks')"});
  Partition partition;
  partition.ranks = ranks;
  partition.tile_bytes = plan.tile_bytes;
  if (ranks == 1 || model.atom_count <= static_cast<std::uint32_t>(ranks)) {
    // At most one atom a rank; ranks beyond the atoms have none and only follow the windows.
    partition.rank_of_atom.resize(model.atom_count);
    for (std::uint32_t a = 0; a < model.atom_count; ++a)
      partition.rank_of_atom[a] = ranks == 1 ? 0 : static_cast<std::int32_t>(a);
  } else {
    const AtomGraph graph = make_atom_graph(model);
    // More pieces than atoms would leave ranks without any.
    const auto most = static_cast<std::int64_t>(model.atom_count) / ranks;
    const int parts = ranks * static_cast<int>(std::min<std::int64_t>(plan.pieces, most));
    if (plan.partitioner == Partitioner::automatic && parts == ranks)
      partition.rank_of_atom = split_at_long_links(model, ranks);
    if (partition.rank_of_atom.empty() && plan.partitioner != Partitioner::blocks && has_metis())
      partition.rank_of_atom = split_by_metis(graph, parts);
    if (partition.rank_of_atom.empty()) partition.rank_of_atom = split_in_blocks(graph, parts);
    for (std::int32_t& part : partition.rank_of_atom)
      part %= ranks;  // parts next to each other have numbers next to each other
  }
  measure(model, partition);
  return partition;
}

}  // namespace lightrail
