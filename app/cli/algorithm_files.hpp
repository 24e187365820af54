#pragma once
#include "engine/scenario/element.hpp"
#include "workloads/collective/algorithm_registry.hpp"

namespace lightrail {

/// Adds every algorithm that an attribute `algorithm="file:x.xml"` names, a path relative to the file that
/// has the attribute. Returns whether there is any. Mistakes go to `errors`, with the place of the attribute
/// or of what is wrong in the file.
bool add_algorithm_files(const Element& root, AlgorithmRegistry& algorithms, ErrorList& errors);

}  // namespace lightrail
