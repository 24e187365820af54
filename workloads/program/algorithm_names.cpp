#include "workloads/program/algorithm_names.hpp"

namespace lightrail {

std::string name_of(const AlgorithmNames& names, Algorithm algorithm) {
  for (const auto& [name, id] : names)
    if (id == algorithm) return name;
  return "number " + std::to_string(static_cast<int>(algorithm));
}

}  // namespace lightrail
