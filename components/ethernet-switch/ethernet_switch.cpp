#include "components/ethernet-switch/ethernet_switch.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>

#include "engine/base/hash.hpp"
#include "network/port/build_checks.hpp"
#include "network/wire/numbered_train.hpp"

namespace lightrail {

EthernetSwitchSpec::EthernetSwitchSpec() {
  alpha = 0.125;
  class_reserve = Bytes{4096};
  resume_offset = Bytes{3072};
  settle();
}

InputBuffer EthernetSwitchSpec::input_buffer(PortIndex) const {
  const double share = alpha == 0 ? 1 : alpha / (1 + alpha);
  const auto bytes = static_cast<std::int64_t>(share * static_cast<double>(buffer.value));
  return {static_cast<std::uint8_t>(lanes), bytes, &pauses_};
}

EthernetSwitch::EthernetSwitch(const BuildContext& build)
    : path_(build, static_cast<const EthernetSwitchSpec&>(build.spec)),
      answers_first_(static_cast<const EthernetSwitchSpec&>(build.spec).answers == SwitchAnswers::first) {
  // Other numbers than those of its routing, which are of the same seed and id.
  const std::uint64_t salt = hash_combine(hash_combine(build.model.seed, build.id.value), 1);
  if (const auto& ecn = static_cast<const EthernetSwitchSpec&>(build.spec).ecn; !ecn.empty())
    marker_.emplace(build, ecn, salt);
  if (const auto& trims = static_cast<const EthernetSwitchSpec&>(build.spec).trims; !trims.empty())
    trimmer_.emplace(build, trims);
}

/// False: nothing is cut off of it.
bool EthernetSwitch::trim(const Frame& leaving, PortIndex in, PortIndex out, Context& context) {
  const auto header = trimmer_->cut(leaving, out);
  if (header) path_.crossbar().send_first(context, *header, in, out);
  return header.has_value();
}

void EthernetSwitch::forward(const Frame& frame, PortIndex in, Context& context) {
  Frame leaving = path_.on_own_lane(frame);
  const RouteChoice way = path_.way_of(leaving, in, context);
  leaving.lane = way.lane;
  Crossbar& crossbar = path_.crossbar();
  if (answers_first_ && is_answer(leaving.kind)) return crossbar.send_first(context, leaving, in, way.port);
  if (trimmer_) {
    if (trimmer_->goes_first(leaving)) return crossbar.send_first(context, leaving, in, way.port);
    if (trimmer_->is_due(leaving, way.port, crossbar.egress(), context) &&
        trim(leaving, in, way.port, context))
      return;
  }
  if (marker_) leaving = marker_->marked(leaving, way.port, crossbar.egress(), context);
  leaving.lane = frame.lane;
  if (crossbar.forward_on_lane(context, leaving, in, way.port, way.lane) || !trimmer_) return;
  leaving.lane = way.lane;  // no room in the memory
  trim(leaving, in, way.port, context);
}

void EthernetSwitch::handle(const Event& event, PortIndex port, Context& context) {
  const Payload& p = event.payload;
  const MessageKind kind = kind_of(p);
  Crossbar& crossbar = path_.crossbar();
  if (kind == MessageKind::flow_control) {
    const bool is_idle = port == self_port && is_idle_watch(p);
    crossbar.on_flow_control(context, p, port);
    if (is_idle) return context.count_as_idle();  // nothing was sent
  } else if (kind == MessageKind::train || kind == MessageKind::control ||
             kind == MessageKind::marked_train || may_be_lost(kind))
    forward(as<Frame>(p), port, context);
  else if (!path_.take_rare(p, port, context))
    path_.fail(context, fmt::format("{} on port {}; a switch forwards trains", unexpected(p), port));
  if (crossbar.egress().has_cut_off()) path_.on_cut_off(context);
}

void EthernetSwitch::handle_all(EventBatch& batch) {
  for (const Delivery& delivery : batch.ahead()) path_.prefetch_waiting(delivery);
  batch.for_each(
      [this](const Event& event, PortIndex port, Context& context) { handle(event, port, context); });
}

void EthernetSwitch::finish(Context& context) {
  path_.finish(context);
  if (marker_) marker_->finish(context);
  if (trimmer_) trimmer_->finish(context);
}

void EthernetSwitch::save(StateWriter& out) const {
  path_.save(out);
  if (marker_) marker_->save(out);
  if (trimmer_) trimmer_->save(out);
}

void EthernetSwitch::load(StateReader& in) {
  path_.load(in);
  if (marker_) marker_->load(in);
  if (trimmer_) trimmer_->load(in);
}

std::shared_ptr<const ComponentKind> ethernet_switch_kind(const RoutingRegistry& routings) {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "ethernet-switch";
  kind->doc =
      "Ethernet switch for RoCE: one memory for all ports with dynamic thresholds, lossless classes by "
      "pauses "
      "(PFC), cut-through, static, ECMP, adaptive or sprayed routing. Classes are virtual lanes and take "
      "turns "
      "by their weights. What finds no room in a class that is not lossless is lost, or trimmed to its "
      "header, and repaired by NICs.";
  kind->can_fail = true;
  kind->hot_bytes = sizeof(EthernetSwitch);
  kind->prefetches = true;
  kind->weight = 8;
  kind->ports = {{"0 ...", "ports", "to NICs and switches with pauses; either way up to port-rate"}};
  kind->statistics = {{"link_use", "payload and busy time of every output by interval"},
                      {"link_traffic", "the same by group kind and kind of connection"},
                      {"queue", "largest backlog and total wait of every output and lane"},
                      {"pause", "pauses sent and received by port and class"},
                      {"buffer", "largest use of the memory and what was lost, by port and class and in all"},
                      {"ecn", "packets marked by output and class, where there is <ecn>"},
                      {"storms", "pauses that a watchdog took for a storm, where there is <watchdog>"},
                      {"trim", "packets trimmed by output and class, where there is <trim>"},
                      {"power", "energy of the switch and of the links it drives"}};
  Describe<EthernetSwitchSpec> table;
  PacketSwitchFields<EthernetSwitchSpec> common(table);
  common.add_ports();
  table.field("buffer", &EthernetSwitchSpec::buffer, "memory that all ports share", Bytes{64},
              Bytes{1ll << 40});
  common.add_lanes();
  table.choice("answers", &EthernetSwitchSpec::answers,
               "acknowledgements and congestion notices go in their class, or first: ahead of all payload, "
               "pauses or not",
               {{"in-class", SwitchAnswers::in_class}, {"first", SwitchAnswers::first}});
  common.add_routing(routings);
  const auto of = []<class T>(T PauseSpec::*member) -> T EthernetSwitchSpec::* { return member; };
  table
      .field("alpha", of(&PauseSpec::alpha),
             "of what is free of the shared memory, how many times a port and class may hold; 0: all of it",
             0.0, 1024.0)
      .field("alpha-rate", of(&PauseSpec::alpha_rate),
             "of ports that alpha is meant for, others have it in proportion; without it for all", BitRate{1},
             BitRate{1'000'000'000'000'000})
      .field("reserve", of(&PauseSpec::class_reserve), "of a port and class, what only it may use", Bytes{0},
             Bytes{1ll << 31});
  add_pause_fields(table);
  common.add_power();
  bind_spec(*kind, table);
  document_routings(routings, *kind);
  kind->values = [values = kind->values](const Spec& spec) {
    std::vector<ParameterValue> all = values(spec);
    for (const EcnSpec& ecn : static_cast<const EthernetSwitchSpec&>(spec).ecn)
      all.push_back({fmt::format("ecn of class {}", ecn.lane), ecn_text(ecn), "", ""});
    for (const WatchdogSpec& one : static_cast<const EthernetSwitchSpec&>(spec).watchdogs)
      all.push_back({fmt::format("watchdog of class {}", one.lane), watchdog_text(one), "", ""});
    for (const TrimSpec& trim : static_cast<const EthernetSwitchSpec&>(spec).trims)
      all.push_back({fmt::format("trim of class {}", trim.lane), trim_text(trim), "", ""});
    return all;
  };
  kind->make_spec = [table, routings](const Element& element,
                                      ErrorList& errors) -> std::shared_ptr<const Spec> {
    auto spec = std::make_shared<EthernetSwitchSpec>();
    table.parse(element, *spec, errors);
    read_routing_and_lanes(element, routings, *spec, errors);
    check_pauses(element, *spec, spec->lanes, spec->buffer, errors);
    if (spec->alpha == 0 && element.find("alpha-rate"))
      errors.add(element.error_at("alpha-rate",
                                  "<ethernet-switch> attribute 'alpha-rate' has no effect with "
                                  "alpha=\"0\""));
    spec->ecn = read_ecn(element, spec->lanes, errors);
    spec->settle();
    spec->watchdogs = read_watchdogs(element, spec->lanes, spec->lossless_lanes(), errors);
    spec->settle();
    spec->trims = read_trims(element, spec->lanes, spec->lossless_lanes(), errors);
    return spec;
  };
  accept_sources(*kind);
  kind->make = [](const BuildContext& build) { return std::make_unique<EthernetSwitch>(build); };
  return kind;
}

}  // namespace lightrail
