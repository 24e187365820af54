#include "network/health/port_outages.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "network/health/disjoint_outages.hpp"

namespace lightrail {
namespace {

/// Of `port`, and of the whole switch.
std::vector<Outage> outages_of(const SwitchOutages& outages, std::uint32_t port) {
  std::vector<Outage> all;
  for (const auto& [place, own] : outages)
    if (place == port || place == PortChange::all_ports) all.insert(all.end(), own.begin(), own.end());
  return disjoint(std::move(all));
}

/// The changes of one port; `own` by time.
void add_changes(const SwitchOutages& outages, std::span<const PortChange> own, std::uint32_t port,
                 std::vector<PortChange>& changes) {
  const std::vector<Outage> spans = outages_of(outages, port);
  auto span = spans.begin();
  bool is_down = false;
  PortState said = PortState::works, present = PortState::works;
  for (;;) {
    while (!own.empty() && own.front().port != port && own.front().port != PortChange::all_ports)
      own = own.subspan(1);
    const SimTime edge = span == spans.end() ? time_never : is_down ? span->up : span->down;
    const SimTime at = own.empty() ? edge : std::min(edge, own.front().at);
    if (at == time_never) return;
    if (edge == at) {
      if (is_down) ++span;
      is_down = !is_down;
    } else {
      said = own.front().state;
      own = own.subspan(1);
    }
    const PortState state = is_down ? PortState::failed : said;
    if (state != present) changes.push_back({at, port, state});
    present = state;
  }
}

/// When the whole switch may change.
std::set<SimTime> whole_changes(const SwitchOutages& outages, std::span<const PortChange> own) {
  std::set<SimTime> times;
  for (const PortChange& change : own)
    if (change.port == PortChange::all_ports) times.insert(change.at);
  if (const auto all = outages.find(PortChange::all_ports); all != outages.end())
    for (const Outage& outage : all->second) times.insert({outage.down, outage.up});
  return times;
}

/// One change where the whole switch changes; `changes` by time.
std::vector<PortChange> joined(std::vector<PortChange> changes, const std::set<SimTime>& whole,
                               std::uint32_t ports) {
  std::vector<PortChange> all;
  for (auto first = changes.begin(); first != changes.end();) {
    const auto last =
        std::find_if(first, changes.end(), [&](const PortChange& c) { return c.at != first->at; });
    const bool is_common =
        std::all_of(first, last, [&](const PortChange& c) { return c.state == first->state; });
    if (last - first == ports && is_common && whole.contains(first->at))
      all.push_back({first->at, PortChange::all_ports, first->state});
    else
      all.insert(all.end(), first, last);
    first = last;
  }
  return all;
}

}  // namespace

std::vector<PortChange> changes_of(const SwitchOutages& outages, std::vector<PortChange> own,
                                   std::uint32_t ports) {
  std::stable_sort(own.begin(), own.end(),
                   [](const PortChange& a, const PortChange& b) { return a.at < b.at; });
  const bool is_whole =
      std::all_of(own.begin(), own.end(), [](const auto& c) { return c.port == PortChange::all_ports; }) &&
      std::all_of(outages.begin(), outages.end(),
                  [](const auto& o) { return o.first == PortChange::all_ports; });
  std::vector<PortChange> changes;
  if (is_whole) {
    add_changes(outages, own, PortChange::all_ports, changes);
    return changes;
  }
  for (std::uint32_t port = 0; port < ports; ++port) add_changes(outages, own, port, changes);
  std::stable_sort(changes.begin(), changes.end(),
                   [](const PortChange& a, const PortChange& b) { return a.at < b.at; });
  return joined(std::move(changes), whole_changes(outages, own), ports);
}

}  // namespace lightrail
