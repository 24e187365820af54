#include "network/routing/routed_crossbar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/hash.hpp"
#include "network/port/build_checks.hpp"
#include "network/port/reports.hpp"
#include "network/transport/nscc.hpp"
#include "network/transport/queue_pairs.hpp"
#include "network/wire/marked_train.hpp"
#include "network/wire/phase.hpp"
#include "network/wire/restart_control.hpp"

namespace lightrail {
namespace {

const SwitchRoute* find_route(const BuildContext& build) {
  auto* tables = build.model.resource<RoutingTables>();
  if (!tables) return nullptr;
  auto it = tables->route_of.find(build.id.value);
  return it == tables->route_of.end() ? nullptr : &tables->routes[it->second];
}

const LaneMap* lanes_of(const BuildContext& build) {
  const auto* maps = build.model.resource<LaneMaps>();
  return maps ? &maps->of(build.record.spec) : nullptr;
}

NicRole role_of(const SwitchRoute* route) {
  return route ? route->role : NicRole::compute;
}

/// As the fabric of the switch has it.
const AddressBook* book_of(const BuildContext& build, const SwitchRoute* route) {
  const auto* book = build.model.resource<AddressBook>();
  return book ? &book->of(role_of(route)) : nullptr;
}

/// Nobody stands in for a NIC of storage.
const NicHealth* health_of(const BuildContext& build, const SwitchRoute* route) {
  return role_of(route) == NicRole::compute ? build.model.resource<NicHealth>() : nullptr;
}

/// Whether its ways are by digit whatever happens.
bool is_direct(const BuildContext& build, const PacketSwitchSpec& spec, const SwitchRoute* route) {
  const auto* health = build.model.resource<HealthTable>();
  return spec.routing->goes_by_digit && route && book_of(build, route) && !health_of(build, route) &&
         !(health && health->has_outages());
}

std::unique_ptr<Detours> detours_of(const BuildContext& build, const SwitchRoute& route) {
  const auto* health = build.model.resource<HealthTable>();
  if (!health || !health->has_outages() || route.groups || !route.listed.empty()) return nullptr;
  return std::make_unique<Detours>(build, route, *health);
}

/// Of its links [B].
std::uint32_t largest_mtu(const BuildContext& build) {
  std::uint32_t mtu_bytes = 1;
  for (const PortEnd& end : port_ends(build)) mtu_bytes = std::max(mtu_bytes, end.mtu_bytes);
  return mtu_bytes;
}

RoutingSetup routing_setup(const BuildContext& build, const PacketSwitchSpec& spec, const SwitchRoute& route,
                           const EgressBank& egress) {
  RoutingSetup setup{
      route,           egress, hash_combine(build.model.seed, build.id.value), spec.lanes, spec.flow_entries,
      spec.flowlet_gap};
  setup.queue_pairs = build.model.resource<QueuePairs>();
  if (const auto* nscc = build.model.resource<Nscc>()) setup.entropy_values = nscc->spec.entropy_values;
  setup.mtu_bytes = largest_mtu(build);
  setup.notice_threshold = static_cast<std::uint32_t>(spec.notice_threshold.value);
  return setup;
}

}  // namespace

std::vector<RoutedCrossbar::Beyond> RoutedCrossbar::beyond(const BuildContext& build,
                                                           const PacketSwitchSpec& spec) {
  std::vector<Beyond> all;
  if (!spec.routing->tells) return all;
  for (std::uint32_t port = 0; port < build.record.port_count; ++port) {
    const LinkId out = build.model.ports[build.record.first_port + port].out;
    const PacketSwitchTraits* far = nullptr;
    if (out.is_valid()) {
      const ComponentRecord& to = build.model.components[build.model.links[out.value].to.value];
      far = dynamic_cast<const PacketSwitchTraits*>(build.model.specs[to.spec].get());
    }
    all.push_back(!far                        ? Beyond::device
                  : far->routing_kind().tells ? Beyond::listener
                                              : Beyond::packet_switch);
  }
  return all;
}

RoutedCrossbar::RoutedCrossbar(const BuildContext& build, const PacketSwitchSpec& spec,
                               Crossbar::Queueing queueing)
    : route_(find_route(build)),
      narrows_(spec.routing->narrows),
      tells_(spec.routing->tells),
      is_direct_(is_direct(build, spec, route_.route())),
      book_(book_of(build, route_.route())),
      health_(health_of(build, route_.route())),
      lanes_(lanes_of(build)),
      crossbar_(build, spec.latency, queueing),
      levels_(build.model.resource<ServiceLevels>()),
      model_(build.model),
      spec_(spec),
      per_class_(spec.lanes / spec.routing->lane_classes),
      restarts_jobs_(lightrail::restarts_jobs(build.model)),
      mtu_bytes_(largest_mtu(build)),
      beyond_(beyond(build, spec)) {
  if (const SwitchRoute* route = route_.route()) {
    if (const std::string problem = problem_of(*spec.routing, spec.lanes, route->groups != nullptr);
        !problem.empty())
      throw InputErrors(InputError{"", 0, build.model.component_name(build.id) + ": " + problem});
    RoutingSetup setup = routing_setup(build, spec, *route, crossbar_.egress());
    detours_ = detours_of(build, *route);
    setup.detours = detours_.get();
    routing_ = spec.routing->make(setup);
  }
  check_port_count(build, spec.ports);
  for (std::uint32_t i = 0; i < build.record.port_count; ++i)
    check_port_rate(build, static_cast<PortIndex>(i), spec.port_rate);
}

void RoutedCrossbar::fail(const Context& context, const std::string& what) const {
  throw SimulationError(context.now(), model_.component_name(context.self()), what);
}

Frame RoutedCrossbar::on_own_lane(const Frame& frame) const {
  if (!lanes_) return frame;
  Frame moved = frame;
  const bool is_control = frame.kind == MessageKind::control || frame.kind == MessageKind::numbered_control;
  const std::uint8_t level = levels_->level_of(frame.address, is_control);
  const std::uint32_t lane_class = frame.lane / per_class_;
  moved.lane = static_cast<std::uint8_t>(lanes_->of[level] + lane_class * per_class_);
  return moved;
}

bool RoutedCrossbar::take_rare(const Payload& payload, PortIndex port, Context& context) {
  const MessageKind kind = kind_of(payload);
  if (kind == MessageKind::link_change && port == self_port) {
    const auto change = as<LinkChange>(payload);
    const bool is_idle = is_idle_change(change);
    crossbar_.on_link_change(context, change);
    on_cut_off(context);
    if (is_idle) context.count_as_idle();
    return true;
  }
  if (kind == MessageKind::route_notice && port < beyond_.size() && routing_) {
    routing_->on_notice(as<RouteNotice>(payload), port, context.now());
    return true;
  }
  if (!Retransmission::is_for(kind)) return false;
  send_again(as<Train>(payload), port, context);
  return true;
}

/// Between switches: a NIC has no other way, and what goes to one cannot go elsewhere.
void RoutedCrossbar::tell_of_full_way(Lid lid, const Frame& frame, PortIndex in, const RouteChoice& way,
                                      Context& context) {
  if (in >= beyond_.size() || beyond_[in] != Beyond::listener) return;
  if (way.port >= beyond_.size() || beyond_[way.port] == Beyond::device) return;
  if (const auto notice = routing_->due_notice(lid, frame, in, way, context))
    context.send(in, context.now(), to_payload(*notice));
}

/// As what an optical switch lost.
void RoutedCrossbar::on_cut_off(Context& context) {
  for (const EgressBank::CutOff& cut : crossbar_.egress().take_cut_off())
    if (const auto train = without_mark(cut.train, mtu_bytes_))
      send_again(Retransmission::lost(as<Train>(*train)), cut.port, context);
}

void RoutedCrossbar::fail_without_endpoint(const Context& context, EndpointId to) const {
  fail(context, fmt::format("destination endpoint {} does not exist", to.value));
}

void RoutedCrossbar::fail_without_route(const Context& context, EndpointId to) const {
  fail(context, fmt::format("no route to endpoint {} ({})", to.value, endpoint_name(model_, to)));
}

bool RoutedCrossbar::is_idle_wake(const Event& event) const {
  return kind_of(event.payload) == MessageKind::link_change && is_idle_change(as<LinkChange>(event.payload));
}

/// Nothing waits behind that link.
bool RoutedCrossbar::is_idle_change(const LinkChange& change) const {
  return !crossbar_.egress().has_waiting(static_cast<PortIndex>(change.port));
}

/// An optical switch could not pass it on. A corrupt train the link replays; a lost one is routed anew later.
void RoutedCrossbar::send_again(const Train& back, PortIndex port, Context& context) {
  Frame train = frame_of(Retransmission::original(back));
  if (port == self_port || Retransmission::is_corrupt(back.kind)) {
    RouteChoice way{port, train.lane};
    if (port == self_port) {
      way = way_of(on_own_lane(train), port, context);
      if (detours_ && has_gone_on(train, context)) return;
      if (detours_) way.port = detours_->or_back(way.port, lid_of(train, context), context.now());
    }
    train.lane = way.lane;
    crossbar_.egress().offer(context, way.port, train, context.now());
    if (crossbar_.egress().has_cut_off()) on_cut_off(context);
    return;
  }
  crossbar_.egress().mark_dark(port, context.now() + spec_.retransmit_timeout);
  const auto later = Retransmission::later(back, spec_.retries);
  if (!later) return give_up(train, context);
  context.wake(context.now() + spec_.retransmit_timeout, to_payload(*later));
}

void RoutedCrossbar::give_up(const Frame& train, Context& context) {
  if (!restarts_jobs_)
    fail(context,
         fmt::format(
             "gave up sending to endpoint {} ({}) after {} retries: no light on the way, or a failed link",
             train.address.to().value, endpoint_name(model_, train.address.to()), spec_.retries));
  discards_.add(DiscardedAt::network, train);
  const Frame notice = frame_of(restart_control::BrokenConnection::of(train, control_bytes));
  const RouteChoice way = way_of(notice, self_port, context);
  crossbar_.egress().offer(context, way.port, notice, context.now());
  if (crossbar_.egress().has_cut_off()) on_cut_off(context);
}

bool RoutedCrossbar::has_gone_on(const Frame& train, Context& context) {
  if (!detours_->is_dead(context.now())) return false;
  const auto heir = detours_->heir(lid_of(train, context), context.now());
  return heir && crossbar_.egress().send_past_failure(context, *heir, train);
}

void RoutedCrossbar::prefetch(std::span<const Delivery> events, std::span<const OutLink> links) const {
  prefetch_line(routing_.get());
  crossbar_.egress().prefetch_queue();
  const auto prefetch_port = [&](PortIndex port) {
    crossbar_.egress().prefetch(port);
    prefetch_line(&links[port]);
  };
  bool has_many = false;
  for (const Delivery& delivery : events) {
    if (delivery.port >= links.size()) continue;  // its own
    const auto frame = as<Frame>(delivery.event.payload);
    if (frame.kind == MessageKind::flow_control) {
      prefetch_port(delivery.port);
      continue;
    }
    crossbar_.prefetch_input(delivery.port, frame.lane);
    if (is_direct_) {
      if (const PortIndex port = direct_port(frame.address.to()); port < links.size()) prefetch_port(port);
      continue;
    }
    const SwitchRoute::Candidates ports = likely_ports(frame.address.to());
    if (ports.count > 1) {
      if (std::exchange(has_many, true)) continue;  // mostly the same
      prefetch_lines(routing_.get(), 128);          // adaptive routing's draws lie in the second line
    }
    for (std::uint32_t i = 0; i < ports.count; ++i)
      if (ports[i] < links.size()) prefetch_port(ports[i]);
  }
}

SwitchRoute::Candidates RoutedCrossbar::likely_ports(EndpointId to) const {
  if (!book_ || !routing_ || to.value >= book_->endpoints.size()) return {};
  const Lid lid = (*book_)[to].lid;
  const SwitchRoute::Candidates ports = route_.candidates(lid);
  return narrows_ && ports.count > 1 ? routing_->likely(lid, ports) : ports;
}

void RoutedCrossbar::finish(Context& context) {
  crossbar_.finish(context);
  discards_.finish(context);
  // A switch that carried nothing is no part of what the job takes.
  if (crossbar_.egress().longest_busy().count() > 0)
    record_power(context, model_, spec_.power, crossbar_.egress());
}

void RoutedCrossbar::save(StateWriter& out) const {
  crossbar_.save(out), discards_.save(out);
  if (routing_) routing_->save(out);
}

void RoutedCrossbar::load(StateReader& in) {
  crossbar_.load(in), discards_.load(in);
  if (routing_) routing_->load(in);
}

}  // namespace lightrail
