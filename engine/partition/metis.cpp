#include <metis.h>

#include <cstdint>
#include <vector>

#include "engine/partition/atom_graph.hpp"

namespace lightrail {

std::vector<std::int32_t> split_by_metis(const AtomGraph& graph, int ranks) {
  idx_t atoms = static_cast<idx_t>(graph.weight.size()), constraints = 1, parts = ranks, cut = 0;
  std::vector<idx_t> first(graph.first.begin(), graph.first.end()), to(graph.to.begin(), graph.to.end()),
      weight(graph.weight.begin(), graph.weight.end()), traffic(graph.traffic.begin(), graph.traffic.end()),
      part(graph.weight.size());
  to.push_back(0), traffic.push_back(1);  // METIS wants addresses also where there is no edge
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 20261121;
  options[METIS_OPTION_UFACTOR] = 50;  // a rank may have 5 % more than its share
  const auto split = ranks <= 8 ? METIS_PartGraphRecursive : METIS_PartGraphKway;
  if (split(&atoms, &constraints, first.data(), to.data(), weight.data(), nullptr, traffic.data(), &parts,
            nullptr, nullptr, options, &cut, part.data()) != METIS_OK)
    return {};
  std::vector<bool> has_work(static_cast<std::size_t>(ranks), false);
  for (idx_t p : part) has_work[static_cast<std::size_t>(p)] = true;
  for (bool work : has_work)
    if (!work) return {};
  return {part.begin(), part.end()};
}

}  // namespace lightrail
