#pragma once
#include <memory>
#include <string>

#include "workloads/collective/algorithm_registry.hpp"

namespace lightrail {

/// The algorithms of this source tree.
inline const AlgorithmRegistry& algorithms_of_tree() {
  static const AlgorithmRegistry all = built_in_algorithms();
  return all;
}

/// One of them: algorithm_named("nvls-tree"). A name that there is not throws.
inline Algorithm algorithm_named(const std::string& name) {
  return algorithms_of_tree().find(name).value();
}

}  // namespace lightrail
