#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/model.hpp"

namespace lightrail {

/// The atoms of a model as an undirected graph in compressed rows: what a partitioner cuts. Rows are sorted,
/// so the graph is the same on every rank.
struct AtomGraph {
  std::vector<std::int32_t> weight;  ///< of an atom: expected work, >= 1
  std::vector<std::int32_t> first;   ///< row a is [first[a], first[a + 1])
  std::vector<std::int32_t> to;
  std::vector<std::int32_t> traffic;  ///< of an edge: rate of its links [Gb/s], >= 1
};

/// By atom: for each component the weight of its kind plus one for each connected port.
[[nodiscard]] std::vector<std::int32_t> atom_weights(const Model& model);

[[nodiscard]] AtomGraph make_atom_graph(const Model& model);

/// The rank of each atom by METIS with a fixed seed; empty when METIS fails or leaves a rank without work.
[[nodiscard]] std::vector<std::int32_t> split_by_metis(const AtomGraph& graph, int ranks);

}  // namespace lightrail
