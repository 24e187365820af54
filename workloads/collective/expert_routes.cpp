#include "workloads/collective/expert_routes.hpp"

#include <algorithm>
#include <cmath>

namespace lightrail {

double ExpertRoutes::reach(double share, std::uint32_t servers) const {
  const double f = std::min(1.0, static_cast<double>(groups) / servers);
  const double missed = 1 - std::min(1.0, share / f);
  // A product, not pow(): the same on every machine.
  double all_missed = 1;
  for (std::uint32_t k = 0; k < experts; ++k) all_missed *= missed;
  return f * (1 - all_missed);
}

}  // namespace lightrail
