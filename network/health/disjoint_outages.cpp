#include "network/health/disjoint_outages.hpp"

#include <algorithm>
#include <cstddef>

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

std::vector<Outage> common(std::span<const Outage> one, std::span<const Outage> other) {
  std::vector<Outage> all;
  for (std::size_t i = 0, j = 0; i < one.size() && j < other.size();) {
    const Outage both{std::max(one[i].down, other[j].down), std::min(one[i].up, other[j].up)};
    if (both.down < both.up) all.push_back(both);
    if (one[i].up < other[j].up)
      ++i;
    else
      ++j;
  }
  return all;
}

}  // namespace lightrail
