#pragma once
#include <memory>
#include <vector>

#include "components/gpu/transport/paths/path.hpp"

namespace lightrail {

/// Makes a path where a GPU's server and fabric have it, else nothing. `host` outlives it.
using PathMaker = std::unique_ptr<Path>(const BuildContext& build, PathHost& host);

/// The paths of one GPU, in the order in which they are asked whether they lead to a destination.
[[nodiscard]] std::vector<std::unique_ptr<Path>> make_paths(const BuildContext& build, PathHost& host);

}  // namespace lightrail
