#include "engine/partition/partition.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/model/load_hint.hpp"
#include "engine/partition/atom_graph.hpp"
#include "engine/partition/stripes.hpp"

namespace lightrail {
namespace {

/// Ranks that METIS keeps about even in every window of a model that works all at once.
constexpr int max_metis_ranks = 16;

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

std::vector<std::int32_t> split_by_neighbours(const AtomGraph& graph, int ranks, Partitioner partitioner) {
  std::vector<std::int32_t> rank_of;
  if (partitioner != Partitioner::blocks) rank_of = split_by_metis(graph, ranks);
  return rank_of.empty() ? split_in_blocks(graph, ranks) : rank_of;
}

/// An all-to-all over so many servers is enough work at once for shorter windows.
constexpr std::uint32_t many_servers = 4;

void measure(const Model& model, Partition& partition) {
  for (const LinkRecord& link : model.links) {
    if (!partition.is_cut(model, link)) continue;
    ++partition.cut_links;
    partition.lookahead = std::min(partition.lookahead, model.link_classes[link.link_class].latency);
  }
}

}  // namespace

Partition make_partition(const Model& model, int ranks, const PartitionPlan& plan) {
  LIGHTRAIL_EXPECT(ranks >= 1);
  const auto measured = [&](std::vector<std::int32_t> rank_of_atom) {
    Partition partition{ranks, std::move(rank_of_atom)};
    partition.tile_bytes = plan.tile_bytes;
    measure(model, partition);
    return partition;
  };
  if (ranks == 1) return measured(std::vector<std::int32_t>(model.atom_count, 0));
  if (model.atom_count <= static_cast<std::uint32_t>(ranks)) {
    // At most one atom a rank; ranks beyond the atoms have none and only follow the windows.
    std::vector<std::int32_t> one_each(model.atom_count);
    std::iota(one_each.begin(), one_each.end(), 0);
    return measured(std::move(one_each));
  }
  const auto stripes = [&](const std::vector<std::int32_t>& weight) {
    return measured(split_in_stripes(weight, ranks));
  };
  if (plan.partitioner == Partitioner::stripes) return stripes(atom_weights(model));
  const bool is_automatic = plan.partitioner == Partitioner::automatic;
  const auto* hint = model.resource<LoadHint>();
  const bool has_long_links = hint && hint->has_long_links;
  if (is_automatic && ranks > max_metis_ranks && !has_long_links) return stripes(atom_weights(model));
  const AtomGraph graph = make_atom_graph(model);
  const auto pods = [&] { return measured(split_in_wide_stripes(model, graph, ranks)); };
  // Stripes, where the ranks would have uneven shares of pods.
  if (plan.partitioner == Partitioner::pods || (is_automatic && has_long_links)) return pods();
  Partition together = measured(split_by_neighbours(graph, ranks, plan.partitioner));
  if (!is_automatic || !hint || !hint->is_pipelined) return together;
  const SimTime enough = together.lookahead - together.lookahead / 5;
  Partition dealt = stripes(graph.weight);
  if (dealt.lookahead >= enough || hint->exchange_servers >= many_servers) return dealt;
  const Partition wide = pods();
  return wide.lookahead >= enough ? wide : together;
}

}  // namespace lightrail
