#include "network/health/health_table.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/error.hpp"
#include "network/health/disjoint_outages.hpp"

namespace lightrail {
namespace {

/// `time` later by `delay`; time_never stays what it is.
SimTime later(SimTime time, SimTime delay) {
  return time > time_never - delay ? time_never : time + delay;
}

}  // namespace

HealthTable::HealthTable(Delays delays, Outages outages, PortChanges changes, const Slowdowns& slowdowns)
    : delays_(delays), changes_(std::move(changes)) {
  LIGHTRAIL_EXPECT(delays.detection >= SimTime{0} && delays.reconvergence >= SimTime{0});
  for (auto& of_link : outages) {
    const std::vector<Outage> own = disjoint(std::move(of_link.second));
    if (own.empty()) continue;
    links_.push_back(
        {of_link.first, static_cast<std::uint32_t>(all_.size()), static_cast<std::uint32_t>(own.size())});
    all_.insert(all_.end(), own.begin(), own.end());
  }
  for (const Outage& outage : all_) moments_.push_back(outage.down), moments_.push_back(outage.up);
  std::sort(moments_.begin(), moments_.end());
  moments_.erase(std::unique(moments_.begin(), moments_.end()), moments_.end());
  for (auto& [device, own] : changes_)
    std::stable_sort(own.begin(), own.end(),
                     [](const PortChange& a, const PortChange& b) { return a.at < b.at; });
  for (const auto& [gpu, own] : slowdowns)
    if (std::vector<PaceChange> of_gpu = pace_changes_of(own); !of_gpu.empty())
      paces_.emplace(gpu, std::move(of_gpu));
}

std::span<const PortChange> HealthTable::port_changes(ComponentId device) const {
  const auto own = changes_.find(device);
  return own == changes_.end() ? std::span<const PortChange>{} : own->second;
}

std::span<const PaceChange> HealthTable::pace_changes(ComponentId gpu) const {
  const auto own = paces_.find(gpu);
  return own == paces_.end() ? std::span<const PaceChange>{} : own->second;
}

std::vector<std::pair<ComponentId, SimTime>> HealthTable::dead_gpus(SimTime now) const {
  std::vector<std::pair<ComponentId, SimTime>> dead;
  for (const auto& [gpu, changes] : paces_)
    if (changes.back().lost == all_speed && changes.back().at <= now)
      dead.emplace_back(gpu, changes.back().at);
  return dead;
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

std::span<const Outage> HealthTable::not_past(LinkId link, SimTime now, Observer observer) const {
  const std::span<const Outage> all = outages(link);
  const SimTime wait = delay(observer);
  const auto first = std::partition_point(
      all.begin(), all.end(), [&](const Outage& outage) { return later(outage.up, wait) <= now; });
  return {first, all.end()};
}

bool HealthTable::is_up(LinkId link, SimTime now, Observer observer) const {
  const std::span<const Outage> rest = not_past(link, now, observer);
  return rest.empty() || later(rest.front().down, delay(observer)) > now;
}

SimTime HealthTable::next_change(LinkId link, SimTime now, Observer observer) const {
  const std::span<const Outage> rest = not_past(link, now, observer);
  if (rest.empty()) return time_never;
  const SimTime down = later(rest.front().down, delay(observer));
  return down > now ? down : later(rest.front().up, delay(observer));
}

SimTime HealthTable::next_change(SimTime now, Observer observer) const {
  const auto next = std::upper_bound(moments_.begin(), moments_.end(), now - delay(observer));
  return next == moments_.end() ? time_never : later(*next, delay(observer));
}

SimTime HealthTable::cut_at(LinkId link, SimTime start, SimTime busy) const {
  const std::span<const Outage> rest = not_past(link, start, Observer::port);
  if (rest.empty() || rest.front().down >= start + busy) return time_never;
  return std::max(start, rest.front().down);
}

}  // namespace lightrail
