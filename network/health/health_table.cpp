#include "network/health/health_table.hpp"

#include <algorithm>

#include "engine/base/error.hpp"

namespace lightrail {
namespace {

/// In order of time, each behind the end of the one before.
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

/// `time` later by `delay`; time_never stays what it is.
SimTime later(SimTime time, SimTime delay) {
  return time > time_never - delay ? time_never : time + delay;
}

}  // namespace

HealthTable::HealthTable(Delays delays, std::map<LinkId, std::vector<Outage>> outages) : delays_(delays) {
  LIGHTRAIL_EXPECT(delays.detection >= SimTime{0} && delays.reconvergence >= SimTime{0});
  for (auto& [link, given] : outages) {
    const std::vector<Outage> own = disjoint(std::move(given));
    if (own.empty()) continue;
    links_.push_back({link, static_cast<std::uint32_t>(all_.size()), static_cast<std::uint32_t>(own.size())});
    all_.insert(all_.end(), own.begin(), own.end());
  }
}

std::span<const Outage> HealthTable::outages(LinkId link) const {
  const auto row = std::lower_bound(links_.begin(), links_.end(), link,
                                    [](const Row& r, LinkId id) { return r.link < id; });
  if (row == links_.end() || row->link != link) return {};
  return {all_.data() + row->first, row->count};
}

SimTime HealthTable::delay(Observer observer) const {
  switch (observer) {
    case Observer::port:
      return SimTime{0};
    case Observer::sender:
      return delays_.detection;
    case Observer::routing:
      return delays_.reconvergence;
  }
  fail_contract("observer is one of the enumerators", __FILE__, __LINE__);
}

bool HealthTable::is_up(LinkId link, SimTime now, Observer observer) const {
  const SimTime wait = delay(observer);
  for (const Outage& outage : outages(link))
    if (later(outage.down, wait) <= now && now < later(outage.up, wait)) return false;
  return true;
}

SimTime HealthTable::next_change(LinkId link, SimTime now, Observer observer) const {
  const SimTime wait = delay(observer);
  for (const Outage& outage : outages(link)) {
    if (later(outage.down, wait) > now) return later(outage.down, wait);
    if (later(outage.up, wait) > now) return later(outage.up, wait);
  }
  return time_never;
}

SimTime HealthTable::cut_at(LinkId link, SimTime start, SimTime busy) const {
  for (const Outage& outage : outages(link)) {
    if (outage.down >= start + busy) break;
    if (outage.up > start) return std::max(start, outage.down);
  }
  return time_never;
}

}  // namespace lightrail
