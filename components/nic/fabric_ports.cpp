#include "components/nic/fabric_ports.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/hash.hpp"
#include "network/port/port_end.hpp"
#include "network/routing/port_choice.hpp"
#include "network/transport/queue_pairs.hpp"

namespace lightrail {
namespace {

BitRate rate_of_all(const BuildContext& build, std::uint32_t ports) {
  BitRate sum{};
  for (std::uint32_t port = 0; port < ports; ++port)
    sum.value += port_end(build, static_cast<PortIndex>(port)).out_rate.value;
  return sum;
}

/// The outages of these cables that last longer than `time`, which senders know of `time` after them.
HealthTable longer_than(SimTime time, const HealthTable& health, const std::vector<LinkId>& cables) {
  HealthTable::Outages all;
  for (const LinkId cable : cables)
    for (const Outage& outage : health.outages(cable))
      if (outage.up - outage.down > time) all[cable].push_back(outage);
  return {{.detection = time}, std::move(all)};
}

}  // namespace

FabricPorts::FabricPorts(const BuildContext& build, std::uint32_t ports, PortChoice choice, SimTime fail_over,
                         const std::vector<Injector::Source>& sources, SimTime latency)
    : choice_(choice),
      salt_(hash_combine(build.model.seed, build.id.value)),
      queue_pairs_(build.model.resource<QueuePairs>()) {
  const BitRate all_lines = ports > 1 ? rate_of_all(build, ports) : BitRate{};
  if (ports > 1) clocks_.resize(sources.size());
  ports_.reserve(ports);
  for (std::uint32_t port = 0; port < ports; ++port) {
    cables_.push_back(build.model.ports[build.record.first_port + port].out);
    ports_.emplace_back(build, static_cast<PortIndex>(port), port, sources, latency, all_lines);
    if (ports > 1) ports_.back().read_by(clocks_);
    if (port > 0) ports_.back().share_pace(ports_.front());
  }
  const auto* health = build.model.resource<HealthTable>();
  if (ports == 1 || !health || !health->has_outages()) return;
  HealthTable outages = longer_than(fail_over, *health, cables_);
  if (outages.has_outages()) outages_ = std::make_unique<const HealthTable>(std::move(outages));
  if (const auto* planes = build.model.resource<NicPlanes>(); planes && !planes->is_empty()) planes_ = planes;
  changes_at_ = next_change(SimTime{0});
}

PortIndex FabricPorts::choose(const Address& flow, Lid lid, bool in_order, SimTime now,
                              const EgressBank& egress) const {
  if (ports_.size() == 1) return 0;
  const FlowWay way = way_of(flow, queue_pairs_, false);
  const std::uint32_t first = spread(hash_combine(salt_, way.hashed.word()), count(), way.further);
  if (!outages_ && !planes_ && choice_ != PortChoice::load) return static_cast<PortIndex>(first);
  const std::vector<PortIndex> taken = open_ports(lid, now);
  if (choice_ == PortChoice::load && !in_order) return first_free(taken, first, now, egress);
  const auto own = std::find(taken.begin(), taken.end(), static_cast<PortIndex>(first));
  return own != taken.end() ? *own : taken.front();
}

std::uint32_t FabricPorts::parts_of(const Outgoing& message, Lid lid, SimTime now) const {
  const bool is_split = choice_ == PortChoice::split && message.kind == MessageKind::train &&
                        message.bytes >= count() && open_ports(lid, now).size() == count();
  return is_split ? count() : 1;
}

/// Those that lead to `lid`; where none does those whose cable is up, else all.
std::vector<PortIndex> FabricPorts::open_ports(Lid lid, SimTime now) const {
  std::vector<PortIndex> leading, up, all;
  for (PortIndex port = 0; port < static_cast<PortIndex>(count()); ++port) {
    all.push_back(port);
    if (outages_ && !outages_->is_up(cables_[port], now, Observer::sender)) continue;
    up.push_back(port);
    if (!planes_ || planes_->leads_to(lid, port, now)) leading.push_back(port);
  }
  return !leading.empty() ? leading : !up.empty() ? up : all;
}

/// Of `ports` the one that has sent first what it was given before; of equal ones `first`.
PortIndex FabricPorts::first_free(const std::vector<PortIndex>& ports, std::uint32_t first, SimTime now,
                                  const EgressBank& egress) const {
  PortIndex best = ports.front();
  SimTime earliest = time_never;
  for (const PortIndex port : ports) {
    const SimTime line = std::max(egress.free_at(port) - now, SimTime{0});
    const SimTime free = line + transfer_time(Bytes{ports_[port].active_bytes()}, egress.rate(port));
    if (free < earliest || (free == earliest && port == first)) best = port, earliest = free;
  }
  return best;
}

bool FabricPorts::is_idle() const {
  return std::all_of(ports_.begin(), ports_.end(), [](const Injector& port) { return port.is_idle(); });
}

void FabricPorts::repair_by(RepairSender& repair) {
  for (Injector& port : ports_) port.repair_by(repair);
}

void FabricPorts::pace_by(std::unique_ptr<FlowPacing> pacing) {
  ports_.front().pace_by(std::move(pacing));
  for (std::size_t i = 1; i < ports_.size(); ++i) ports_[i].share_pace(ports_.front());
}

void FabricPorts::pump(Context& context, EgressBank& egress, SentListener& listener) {
  for (Injector& port : ports_) port.pump(context, egress, listener);
}

std::vector<Injector::Rest> FabricPorts::take_all() {
  std::vector<Injector::Rest> all;
  for (Injector& port : ports_) {
    const std::vector<Injector::Rest> own = port.take_all();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

bool FabricPorts::is_usable(const EgressBank& egress, SimTime now) const {
  for (std::uint32_t port = 0; port < count(); ++port)
    if (egress.is_usable(static_cast<PortIndex>(port), now)) return true;
  return false;
}

bool FabricPorts::is_held_up(const EgressBank& egress, SimTime now) const {
  for (std::uint32_t port = 0; port < count(); ++port)
    if (!ports_[port].is_idle() && !egress.is_usable(static_cast<PortIndex>(port), now)) return true;
  return false;
}

SimTime FabricPorts::next_cable_change(const EgressBank& egress, SimTime now) const {
  SimTime next = time_never;
  for (std::uint32_t port = 0; port < count(); ++port)
    next = std::min(next, egress.next_change(static_cast<PortIndex>(port), now));
  return next;
}

bool FabricPorts::has_changed(SimTime now) {
  if (now < changes_at_) return false;
  changes_at_ = next_change(now);
  return true;
}

SimTime FabricPorts::next_change(SimTime now) const {
  SimTime next = planes_ ? planes_->next_change(now) : time_never;
  if (!outages_) return next;
  for (const LinkId cable : cables_)
    next = std::min(next, outages_->next_change(cable, now, Observer::sender));
  return next;
}

void FabricPorts::save(StateWriter& out) const {
  for (const Injector& port : ports_) port.save(out);
  out.put(clocks_), out.put(changes_at_);
}

void FabricPorts::load(StateReader& in) {
  for (Injector& port : ports_) port.load(in);
  in.get(clocks_), in.get(changes_at_);
}

}  // namespace lightrail
