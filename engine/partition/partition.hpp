#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/model.hpp"

namespace lightrail {

/// `metis` and `blocks` keep neighbours together. `stripes` deals servers and switches out to the ranks in
/// turn: every rank then has its share of every part of the model, whichever part is at work. `pods` does so
/// with the largest parts inside short links that give the ranks even shares (stripes.hpp), so that windows
/// are longer. `automatic`: pods where links between them stand for whole paths (LoadHint), else stripes on
/// many ranks, and for a model that works in turns (LoadHint) unless they shorten the lookahead by more than
/// a fifth, in which case pods where the ranks get even shares, or stripes all the same where exchanges go
/// over four servers and more; else metis, or blocks where METIS leaves a rank without work.
enum class Partitioner : std::uint8_t { automatic, metis, blocks, stripes, pods };

/// Which rank runs which atom; a server, a switch are never split.
struct Partition {
  int ranks = 1;
  std::vector<std::int32_t> rank_of_atom;
  SimTime lookahead = time_never;  ///< smallest latency of a link between ranks; time_never: no such link
  std::int64_t cut_links = 0;
  std::int64_t tile_bytes = 0;  ///< PartitionPlan's

  [[nodiscard]] int rank_of(const ComponentRecord& component) const {
    return rank_of_atom[component.atom.value];
  }
  /// Whether the link joins two ranks.
  [[nodiscard]] bool is_cut(const Model& model, const LinkRecord& link) const {
    return rank_of(model.components[link.from.value]) != rank_of(model.components[link.to.value]);
  }
};

/// How a model is spread over ranks.
struct PartitionPlan {
  Partitioner partitioner = Partitioner::automatic;
  /// State of the components that take a turn together, so that it stays in a processor's cache; 0: no limit
  /// [B].
  std::int64_t tile_bytes = 1024 * 1024;
};

/// Deterministic: the same model and rank count give the same partition on every rank.
[[nodiscard]] Partition make_partition(const Model& model, int ranks, const PartitionPlan& plan);
[[nodiscard]] inline Partition make_partition(const Model& model, int ranks, Partitioner partitioner) {
  return make_partition(model, ranks, PartitionPlan{.partitioner = partitioner});
}

}  // namespace lightrail
