#include "components/gpu/transport/paths/paths.hpp"

#include <utility>

#include "components/gpu/transport/paths/circuit_path.hpp"
#include "components/gpu/transport/paths/direct_path.hpp"
#include "components/gpu/transport/paths/failover_path.hpp"
#include "components/gpu/transport/paths/photonic_rail_path.hpp"
#include "components/gpu/transport/paths/pxn_path.hpp"
#include "components/gpu/transport/paths/several_nics_path.hpp"
#include "components/gpu/transport/paths/storage_path.hpp"

namespace lightrail {
namespace {

constexpr PathMaker* const makers[] = {StoragePath::make,     FailoverPath::make, CircuitPath::make,
                                       SeveralNicsPath::make, PxnPath::make,      PhotonicRailPath::make,
                                       DirectPath::make};

}  // namespace

std::vector<std::unique_ptr<Path>> make_paths(const BuildContext& build, PathHost& host) {
  std::vector<std::unique_ptr<Path>> paths;
  for (PathMaker* const make : makers)
    if (auto path = make(build, host)) paths.push_back(std::move(path));
  return paths;
}

}  // namespace lightrail
