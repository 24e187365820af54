#include "network/health/pace_change.hpp"

#include <map>
#include <set>

namespace lightrail {

std::vector<PaceChange> pace_changes_of(const std::vector<Slowdown>& slowdowns) {
  struct Changes {
    std::vector<std::int64_t> begin, end;
  };
  std::map<SimTime, Changes> moments;
  for (const Slowdown& slowdown : slowdowns) {
    if (slowdown.span.up <= slowdown.span.down) continue;
    moments[slowdown.span.down].begin.push_back(slowdown.lost);
    if (slowdown.span.up != time_never) moments[slowdown.span.up].end.push_back(slowdown.lost);
  }
  std::vector<PaceChange> changes;
  std::multiset<std::int64_t> lost;
  for (const auto& [at, moment] : moments) {
    lost.insert(moment.begin.begin(), moment.begin.end());
    for (const std::int64_t ended : moment.end) lost.erase(lost.find(ended));
    const std::int64_t worst = lost.empty() ? 0 : *lost.rbegin();
    if (worst != (changes.empty() ? 0 : changes.back().lost)) changes.push_back({at, worst});
  }
  return changes;
}

}  // namespace lightrail
