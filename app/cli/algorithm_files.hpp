#pragma once
#include <string>
#include <vector>

#include "engine/scenario/element.hpp"
#include "workloads/collective/algorithm_registry.hpp"

namespace lightrail {

/// Adds every algorithm that an attribute `algorithm="file:x.xml"` names, a path relative to the file that
/// has the attribute. Returns the paths of these files. Mistakes go to `errors`, with the place of the
/// attribute or of what is wrong in the file.
std::vector<std::string> add_algorithm_files(const Element& root, AlgorithmRegistry& algorithms,
                                             ErrorList& errors);

}  // namespace lightrail
