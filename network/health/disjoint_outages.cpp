#include "network/health/disjoint_outages.hpp"

#include <algorithm>

namespace lightrail {

std::vector<Outage> disjoint(std::vector<Outage> given) {
  std::sort(given.begin(), given.end(), [](const Outage& a, const Outage& b) {
    return a.down != b.down ? a.down < b.down : a.up < b.up;
  });
  std::vector<Outage> all;
  for (const Outage& outage : given) {
    if (outage.up <= outage.down) continue;
    if (!all.empty() && outage.down <= all.back().up)
      all.back().up = std::max(all.back().up, outage.up);
    else
      all.push_back(outage);
  }
  return all;
}

}  // namespace lightrail
