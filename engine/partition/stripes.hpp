#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/partition/atom_graph.hpp"

namespace lightrail {

/// Every `ranks` consecutive atoms go to as many ranks, in an order drawn for them: no run of atoms and no
/// stride of them, the servers of one pipeline stage say, falls to one rank.
[[nodiscard]] std::vector<std::int32_t> split_in_stripes(std::uint32_t atoms, int ranks);

/// The same by weight where an atom has more than a sixteenth of a rank's share and four times the median, a
/// whole fabric by messages say: such go to the ranks first, and a rank has as much fewer of the others,
/// evenly over all of them.
[[nodiscard]] std::vector<std::int32_t> split_in_stripes(const std::vector<std::int32_t>& weight, int ranks);

/// The same with what short links join, pods of servers and switches say, in place of single atoms: no link
/// shorter than some latency is cut, the longest that leaves every rank its share of the weight within a
/// tenth.
[[nodiscard]] std::vector<std::int32_t> split_in_wide_stripes(const Model& model, const AtomGraph& graph,
                                                              int ranks);

}  // namespace lightrail
