#include "workloads/program/algorithm_names.hpp"

namespace lightrail {

const std::vector<std::pair<std::string, Algorithm>>& algorithm_names() {
  static const std::vector<std::pair<std::string, Algorithm>> names{
      {"auto", Algorithm::auto_select},
      {"ring", Algorithm::ring},
      {"tree", Algorithm::tree},
      {"nvls", Algorithm::nvls},
      {"nvls-tree", Algorithm::nvls_tree},
      {"pat", Algorithm::pat},
      {"direct", Algorithm::direct},
      {"pairwise", Algorithm::pairwise},
      {"hierarchical", Algorithm::hierarchical},
      {"full-mesh", Algorithm::full_mesh},
      {"deepep", Algorithm::deepep},
      {"deepep-low-latency", Algorithm::deepep_low_latency},
      {"collnet", Algorithm::collnet}};
  return names;
}

std::string algorithm_name(Algorithm algorithm) {
  for (const auto& [name, value] : algorithm_names())
    if (value == algorithm) return name;
  return "auto";
}

}  // namespace lightrail
