#include "components/switch/switch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/hash.hpp"
#include "network/port/build_checks.hpp"
#include "network/port/reports.hpp"
#include "network/wire/congestion_notice.hpp"

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

RoutingSetup routing_setup(const BuildContext& build, const SwitchSpec& spec, const SwitchRoute& route,
                           const EgressBank& egress) {
  RoutingSetup setup{
      route,           egress, hash_combine(build.model.seed, build.id.value), spec.lanes, spec.flow_entries,
      spec.flowlet_gap};
  for (const PortEnd& end : port_ends(build)) {
    setup.mtu_bytes = std::max(setup.mtu_bytes, end.mtu_bytes);
    setup.train_bytes = std::max(setup.train_bytes, end.train_bytes());
  }
  return setup;
}

}  // namespace

Switch::Switch(const BuildContext& build)
    : model_(build.model),
      spec_(static_cast<const SwitchSpec&>(build.spec)),
      book_(build.model.resource<AddressBook>()),
      health_(build.model.resource<NicHealth>()),
      route_(find_route(build)),
      levels_(build.model.resource<ServiceLevels>()),
      lanes_(lanes_of(build)),
      per_class_(spec_.lanes / spec_.routing->lane_classes),
      crossbar_(build, spec_.latency, spec_.queueing),
      reductions_(build.record.port_count) {
  if (route_) {
    if (const std::string problem = problem_of(*spec_.routing, spec_.lanes, route_->groups != nullptr);
        !problem.empty())
      throw InputErrors(InputError{"", 0, build.model.component_name(build.id) + ": " + problem});
    routing_ = spec_.routing->make(routing_setup(build, spec_, *route_, crossbar_.egress()));
  }
  if (const auto* congestion = build.model.resource<CongestionControl>();
      congestion && congestion->spec().threshold > 0)
    marker_.emplace(build, *congestion, spec_.buffer);
  is_plain_ = !lanes_ && !marker_;
  check_port_count(build, spec_.ports);
  for (std::uint32_t i = 0; i < build.record.port_count; ++i)
    check_port_rate(build, static_cast<PortIndex>(i), spec_.port_rate);
}

void Switch::fail(const Context& context, const std::string& what) const {
  throw SimulationError(context.now(), model_.component_name(context.self()), what);
}

inline RouteChoice Switch::way_of(const Frame& frame, PortIndex in, Context& context) {
  const EndpointId to = frame.address.to();
  if (!book_ || to.value >= book_->endpoints.size()) fail_without_endpoint(context, to);
  const Lid lid = (*book_)[health_ ? health_->stand_in(to, context.now(), Observer::sender) : to].lid;
  if (!routing_ || !lid.is_valid()) fail_without_route(context, to);
  const RouteChoice way = routing_->choose(lid, frame, in, context);
  if (way.port >= context.port_count()) fail_without_route(context, to);  // unroutable is more than any
  return way;
}

Frame Switch::on_own_lane(const Frame& frame) const {
  Frame moved = frame;
  const std::uint8_t level = levels_->level_of(frame.address, frame.kind == MessageKind::control);
  const std::uint32_t lane_class = frame.lane / per_class_;
  moved.lane = static_cast<std::uint8_t>(lanes_->of[level] + lane_class * per_class_);
  return moved;
}

/// Where lanes are of service levels, or trains are marked.
void Switch::forward(const Frame& frame, PortIndex in, Context& context) {
  Frame leaving = lanes_ ? on_own_lane(frame) : frame;
  const RouteChoice way = way_of(leaving, in, context);
  leaving.lane = way.lane;
  if (marker_) leaving = marker_->marked(leaving, way.port, crossbar_.egress(), context);
  Frame came = leaving;
  came.lane = frame.lane;
  crossbar_.forward_on_lane(context, came, in, way.port, way.lane);
}

void Switch::handle(const Event& event, PortIndex port, Context& context) {
  const Payload& p = event.payload;
  const MessageKind kind = kind_of(p);
  if (kind == MessageKind::train || kind == MessageKind::control) {
    const auto frame = as<Frame>(p);
    if (!is_plain_) {
      forward(frame, port, context);
    } else {
      const RouteChoice way = way_of(frame, port, context);
      if (way.lane != frame.lane)
        crossbar_.forward_on_lane(context, frame, port, way.port, way.lane);
      else
        crossbar_.forward(context, frame, port, way.port);
    }
  } else if (kind == MessageKind::flow_control) {
    crossbar_.on_flow_control(context, p, port);
  } else {
    handle_rare(p, port, context);
  }
  if (crossbar_.egress().has_cut_off()) on_cut_off(context);
}

void Switch::handle_rare(const Payload& payload, PortIndex port, Context& context) {
  const MessageKind kind = kind_of(payload);
  if (kind == MessageKind::link_change && port == self_port) {
    const auto change = as<LinkChange>(payload);
    const bool is_idle = is_idle_change(change);
    crossbar_.on_link_change(context, change);
    on_cut_off(context);
    if (is_idle) context.count_as_idle();
    return;
  }
  if (kind == MessageKind::marked_train || kind == MessageKind::congestion_notice)
    return forward(as<Frame>(payload), port, context);
  if (Retransmission::is_for(kind)) return send_again(as<Train>(payload), port, context);
  if (kind == MessageKind::reduce) return reduce(context, as<Train>(payload), port);
  fail(context, fmt::format("{} on port {}; a switch forwards trains", unexpected(payload), port));
}

/// What a failed link did not take goes another way, or the same when its timer ends: as what an optical
/// switch lost.
void Switch::on_cut_off(Context& context) {
  for (const EgressBank::CutOff& cut : crossbar_.egress().take_cut_off())
    if (const auto train = without_mark(cut.train))
      send_again(Retransmission::lost(as<Train>(*train)), cut.port, context);
}

void Switch::fail_without_endpoint(const Context& context, EndpointId to) const {
  fail(context, fmt::format("destination endpoint {} does not exist", to.value));
}

void Switch::fail_without_route(const Context& context, EndpointId to) const {
  fail(context, fmt::format("no route to endpoint {} ({})", to.value, endpoint_name(model_, to)));
}

/// The train is in the memory of the sums when its tail is here: its buffer is free then.
void Switch::reduce(Context& context, const Train& train, PortIndex port) {
  const auto* plans = model_.resource<GroupPlans>();
  const EndpointId from = train.address.from();
  const Connection connection = train.address.connection();
  if (spec_.sharp_efficiency == 0 || !plans || !book_ || from.value >= book_->gpu_count)
    fail(context,
         fmt::format(
             "a train to be reduced came in on port {}; this switch does not reduce (sharp-efficiency {})",
             port, spec_.sharp_efficiency));
  const GroupPlan& plan = plans->of(GroupKindId{connection.group_kind()}, from);
  const std::uint32_t index = plan.index_of(from), place = index - plan.server_first[plan.server_of(index)];
  std::vector<EndpointId> heads;
  std::vector<PortIndex> ports;
  for (std::uint32_t s = 0; s < plan.servers(); ++s) {
    heads.push_back(plan.members[plan.server_first[s] + place]);
    ports.push_back(way_of({.address = Address(from, heads.back(), connection)}, port, context).port);
  }
  const std::uint64_t flow = flow_of(heads.front(), connection);
  const std::uint32_t complete = reductions_.add(flow, port, train.bytes, ports);
  const Frame in = frame_of(train);
  crossbar_.take(context, in, port, crossbar_.tail(context, in, port));
  if (complete == 0) return;
  for (std::size_t i = 0; i < heads.size(); ++i) {
    Train sum = train;
    sum.kind = MessageKind::train, sum.bytes = complete;
    sum.address = Address(heads[i], heads[i], connection);
    crossbar_.send(context, lanes_ ? on_own_lane(frame_of(sum)) : frame_of(sum), port, ports[i]);
  }
}

bool Switch::is_idle_wake(const Event& event) const {
  return kind_of(event.payload) == MessageKind::link_change && is_idle_change(as<LinkChange>(event.payload));
}

/// Nothing waits behind that link.
bool Switch::is_idle_change(const LinkChange& change) const {
  return !crossbar_.egress().has_waiting(static_cast<PortIndex>(change.port));
}

std::vector<std::string> Switch::waits_for() const {
  std::vector<std::string> all = crossbar_.waits_for();
  if (const std::int64_t bytes = reductions_.waiting_bytes(); bytes > 0)
    all.push_back(fmt::format("{} B wait to be added to what other servers have not sent", bytes));
  return all;
}

/// An optical switch could not pass it on. A corrupt train the link replays; a lost one is routed anew later.
void Switch::send_again(const Train& back, PortIndex port, Context& context) {
  Frame train = frame_of(Retransmission::original(back));
  if (port == self_port || Retransmission::is_corrupt(back.kind)) {
    RouteChoice way{port, train.lane};
    if (port == self_port) way = way_of(lanes_ ? on_own_lane(train) : train, port, context);
    train.lane = way.lane;
    crossbar_.egress().offer(context, way.port, train, context.now());
    if (crossbar_.egress().has_cut_off()) on_cut_off(context);
    return;
  }
  crossbar_.egress().mark_dark(port, context.now() + spec_.retransmit_timeout);
  const auto later = Retransmission::later(back, spec_.retries);
  if (!later)
    fail(context,
         fmt::format(
             "gave up sending to endpoint {} ({}) after {} retries: no light on the way, or a failed link",
             train.address.to().value, endpoint_name(model_, train.address.to()), spec_.retries));
  context.wake(context.now() + spec_.retransmit_timeout, to_payload(*later));
}

void Switch::handle_all(EventBatch& batch) {
  for (const Delivery& delivery : batch.ahead()) {
    const auto frame = as<Frame>(delivery.event.payload);
    if (frame.kind == MessageKind::flow_control)
      crossbar_.prefetch_waiting(delivery.port, frame.lane);
    else if (book_)
      book_->prefetch(frame.address.to());
  }
  while (batch.next()) handle(batch.event(), batch.port(), batch.context());
}

void Switch::finish(Context& context) {
  crossbar_.finish(context);
  // A switch that carried nothing is no part of what the job takes.
  if (crossbar_.egress().longest_busy().count() > 0)
    record_power(context, model_, spec_.power, crossbar_.egress());
}

void Switch::save(StateWriter& out) const {
  crossbar_.save(out);
  if (routing_) routing_->save(out);
  if (marker_) marker_->save(out);
  reductions_.save(out);
}

void Switch::load(StateReader& in) {
  crossbar_.load(in);
  if (routing_) routing_->load(in);
  if (marker_) marker_->load(in);
  reductions_.load(in);
}

std::shared_ptr<const ComponentKind> switch_kind(const RoutingRegistry& routings) {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "switch";
  kind->doc =
      "Lossless packet switch (InfiniBand): credits per virtual lane, cut-through, static, ECMP or adaptive "
      "routing. "
      "Every input has its own buffer; outputs serve trains in order of arrival, lanes by their weights. "
      "Marks trains where there is <congestion-control>. Leaves out link errors.";
  kind->can_fail = true;
  kind->hot_bytes = sizeof(Switch);
  kind->prefetches = true;
  kind->weight = 8;
  kind->ports = {{"0 ...", "ports", "to NICs, switches, optical switches; either way up to port-rate"}};
  kind->statistics = {{"link_use", "payload and busy time of every output by interval"},
                      {"link_traffic", "the same by group kind and kind of connection"},
                      {"queue", "largest backlog and total wait of every output and lane"},
                      {"power", "energy of the switch and of the links it drives"}};
  const auto table =
      Describe<SwitchSpec>()
          .field("ports", &SwitchSpec::ports, "number of ports (radix)", 1u, 4096u)
          .field("port-rate", &SwitchSpec::port_rate, "fastest link a port takes", BitRate{1},
                 BitRate{1'000'000'000'000'000})
          .field("buffer", &SwitchSpec::buffer, "input buffer of one port and lane", Bytes{64},
                 Bytes{1ll << 31})
          .field(
              "lane-reserve", &SwitchSpec::reserve,
              "of the buffer, what only its lane may use; the lanes of a port share the rest of all of them; "
              "0: nothing is shared",
              Bytes{0}, Bytes{1ll << 31})
          .field("lanes", &SwitchSpec::lanes, "virtual lanes; must match what is attached", 1u, max_lanes)
          .field("sl-to-vl", &SwitchSpec::lane_list,
                 "lanes of service levels 0, 1, 2 ... (0,0,1); without it as <lanes> says")
          .field("latency", &SwitchSpec::latency, "pipeline, head in to head out of an idle switch",
                 SimTime{0}, milliseconds(1))
          .choice(
              "queueing", &SwitchSpec::queueing,
              "in an input buffer: a queue for each output, or one in which the first holds up the others",
              {{"virtual-output", Crossbar::Queueing::virtual_output}, {"fifo", Crossbar::Queueing::fifo}})
          .field("routing", &SwitchSpec::routing_name, routings.documentation().c_str())
          .field("flow-entries", &SwitchSpec::flow_entries, "flows that adaptive-flow remembers", 1u,
                 1u << 20)
          .field("flowlet-gap", &SwitchSpec::flowlet_gap, "pause after which adaptive-flow may move a flow",
                 SimTime{0}, milliseconds(1000))
          .field("retransmit-timeout", &SwitchSpec::retransmit_timeout,
                 "until what an optical switch lost is sent again", SimTime{1}, milliseconds(3'600'000))
          .field("retries", &SwitchSpec::retries, "how often before the connection breaks", 0u, max_retries)
          .field("sharp-efficiency", &SwitchSpec::sharp_efficiency,
                 "share of the links' rate that reduction in the switch reaches (SHARP); 0: it has none", 0.0,
                 1.0)
          .field("power", &SwitchSpec::power, "electrical power, for the power table; 0: not known", Watts{0},
                 Watts{1e6});
  bind_spec(*kind, table);
  for (ParameterDoc& parameter : kind->parameters)
    if (parameter.name == "routing") parameter.type = "choice", parameter.choices = routings.names();
  kind->make_spec = [table, routings](const Element& element,
                                      ErrorList& errors) -> std::shared_ptr<const Spec> {
    auto spec = std::make_shared<SwitchSpec>();
    table.parse(element, *spec, errors);
    read_lane_map(element, spec->lane_table, errors);
    check_reserve(element, spec->buffer, spec->reserve, errors);
    spec->routing = routings.find(spec->routing_name);
    if (const Attribute* name = element.find("routing"); !spec->routing)
      errors.add(
          {name->file, name->line,
           "<" + element.name + "> attribute 'routing': " + invalid_choice(name->value, routings.names())});
    return spec;
  };
  accept_sources(*kind);
  kind->make = [](const BuildContext& build) { return std::make_unique<Switch>(build); };
  return kind;
}

}  // namespace lightrail
