#include "engine/partition/partition.hpp"

#include <algorithm>

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
    if (plan.partitioner != Partitioner::blocks && has_metis())
      partition.rank_of_atom = split_by_metis(graph, parts);
    if (partition.rank_of_atom.empty()) partition.rank_of_atom = split_in_blocks(graph, parts);
    for (std::int32_t& part : partition.rank_of_atom)
      part %= ranks;  // parts next to each other have numbers next to each other
  }
  measure(model, partition);
  return partition;
}

}  // namespace lightrail
