#include "components/ocs/ocs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "components/ocs/tables.hpp"
#include "engine/model/output_selection.hpp"
#include "links/optical/bit_errors.hpp"
#include "links/optical/path_loss.hpp"
#include "network/port/build_checks.hpp"
#include "network/port/none/no_flow_control.hpp"
#include "network/port/tables.hpp"
#include "network/wire/region_control.hpp"
#include "network/wire/train.hpp"

namespace lightrail {
namespace {

/// Purposes of random numbers.
constexpr std::uint32_t jitter_purpose = 1, error_purpose = 2;
/// A train that fails less often than this does not within any run.
constexpr double never = 1e-30;
/// A receiver does not come up on a line whose codewords fail more often than this: two of three trains of 16
/// packets would.
constexpr double no_link = 1e-2;

/// The side of flow control in a switch whose ports before `control_port` are optical.
std::unique_ptr<TransitControl> make_transit(const BuildContext& build, PortIndex control_port) {
  const FlowControlKind* common = nullptr;
  for (std::uint32_t i = 0; i < build.record.port_count; ++i) {
    const auto port = static_cast<PortIndex>(i);
    if (port == control_port || !build.model.ports[build.record.first_port + i].out.is_valid()) continue;
    const FlowControlKind* kind = &flow_control_behind(build, port);
    if (common && kind != common)
      throw InputErrors(InputError{"", 0,
                                   build.model.component_name(build.id) +
                                       ": devices of different flow control share one optical switch"});
    common = kind;
  }
  return (common ? *common : no_flow_control()).make_transit(build.record.port_count);
}

}  // namespace

Ocs::Ocs(const BuildContext& build)
    : model_(build.model),
      spec_(static_cast<const OcsSpec&>(build.spec)),
      id_(build.id),
      meter_settings_(meter_settings(build.model)),
      ports_(build.record.port_count),
      transit_(make_transit(build, control_port())),
      jitter_(build.model.seed, build.id, jitter_purpose),
      errors_(build.model.seed, build.id, error_purpose) {
  check_port_count(build, spec_.ports + 1);  // the control port
  if (auto* output = model_.resource<OutputSelection>()) is_recorded_ = output->is_recorded(tables::ocs);
  for (std::uint32_t i = 0; i < build.record.port_count; ++i) {
    auto port = static_cast<PortIndex>(i);
    LinkId link = model_.ports[build.record.first_port + i].out;
    links_.push_back(link);
    meters_.emplace_back(link);
    lines_.emplace_back(link.is_valid() ? model_.link_classes[model_.links[link.value].link_class].rate
                                        : BitRate{});
    if (link.is_valid())
      if (const LinkLight& light = model_.link_classes[model_.links[link.value].link_class].light;
          light.flap_interval.count() > 0)
        flaps_.emplace(port, Flaps{LineErrors(build, i, light, 0), SimTime{0}});
  }
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto port = static_cast<PortIndex>(i);
    ports_[i].out = spec_.first.out(port);
    ports_[i].failure = failure_of(port, ports_[i].out);
  }
}

double Ocs::failure_of(PortIndex in, PortIndex out) const {
  if (out >= links_.size() || in >= links_.size() || !links_[out].is_valid() || !links_[in].is_valid())
    return 0;
  const auto light = [&](LinkId link) -> const LinkLight& {
    return model_.link_classes[model_.links[link.value].link_class].light;
  };
  const LinkLight& from = light(LinkId{links_[in].value ^ 1});
  const LinkLight& to = light(links_[out]);
  if (from.codeword_bytes == 0 || to.codeword_bytes == 0) return 0;
  const PathLoss loss{spec_.insertion_loss, spec_.loss_spread, spec_.drift_spread};
  const Decibel margin{from.level_dbm - loss.of(model_.seed, id_, in, out).value - to.needed_dbm};
  return codeword_failure(pre_fec_bit_error_rate(margin), std::max(from.burst_bits, to.burst_bits));
}

void Ocs::handle(const Event& event, PortIndex port, Context& context) {
  catch_up(context);
  const Payload& p = event.payload;
  if (port == self_port) return carry_out(context);
  if (port == control_port()) return on_control(p, context);
  if (kind_of(p) == MessageKind::flow_control) return transit_->on_message(context, port, p);
  if (!Train::carries(kind_of(p))) refuse(p, port, context);
  pass(as<Frame>(p), port, context);
}

/// Light that came in on `port` goes where its circuit leads, or gets lost.
void Ocs::pass(const Frame& train, PortIndex port, Context& context) {
  Port& in = ports_[port];
  const std::uint32_t payload_bytes = is_payload(train.kind) ? train.bytes : 0;
  if (in.out == CircuitTable::dark || context.now() < in.lit_from || in.out >= ports_.size() ||
      !links_[in.out].is_valid() || in.failure > no_link || is_cut_off(in.out, context.now(), train.bytes)) {
    in.lost_bytes += payload_bytes;
    if (in.out != CircuitTable::dark && in.failure > no_link) raise_alarm(port, context);
    return send_back(context, train, port, false);
  }
  if (in.failure > never) {
    const LinkLight& light = model_.link_classes[model_.links[links_[in.out].value].link_class].light;
    if (errors_.uniform() < train_failure(in.failure, light.codeword_bytes, train.bytes))
      return send_back(context, train, port, light.has_replay);
  }
  in.bytes += payload_bytes;
  transit_->on_passed(port, in.out, train);
  meters_[in.out].add(context, meter_settings_, context.now(), lines_[in.out].of(train.bytes), payload_bytes);
  context.send(in.out, context.now(), to_payload(train));
}

void Ocs::refuse(const Payload& payload, PortIndex port, const Context& context) const {
  throw SimulationError(context.now(), model_.component_name(context.self()),
                        fmt::format("{} on port {}; an optical switch passes trains on and takes commands "
                                    "from its controller",
                                    unexpected(payload), port));
}

/// True when the fibre from `out` has no light now, or loses it before the tail has passed.
bool Ocs::is_cut_off(PortIndex out, SimTime now, std::uint32_t bytes) {
  const auto flaps = flaps_.find(out);
  if (flaps == flaps_.end()) return false;
  SimTime& up_at = flaps->second.up_at;
  if (now >= up_at) up_at = flaps->second.line.last_start(now, lines_[out].of(bytes), bytes);
  return now < up_at;
}

/// The train fills no buffer; its sender hears what would have been its acknowledgement's absence.
void Ocs::send_back(Context& context, const Frame& train, PortIndex port, bool is_corrupt) {
  const bool is_train = train.kind == MessageKind::train;
  if (!is_train && train.kind != MessageKind::control)
    throw SimulationError(
        context.now(), model_.component_name(context.self()),
        fmt::format("a {} that came in on port {} was lost; only trains and control messages "
                    "are sent again",
                    name_of(train.kind), port));
  transit_->on_lost(context, port, train);
  Frame back = train;
  if (is_corrupt)
    back.kind = is_train ? MessageKind::corrupt_train : MessageKind::corrupt_control;
  else
    back.kind = is_train ? MessageKind::lost_train : MessageKind::lost_control;
  context.send(port, context.now(), to_payload(back));
}

void Ocs::on_control(const Payload& payload, Context& context) {
  using namespace region_control;
  if (kind_of(payload) == MessageKind::connect) {
    const auto circuit = as<Connect>(payload);
    commanded_.push_back(circuit.in), commanded_.push_back(circuit.out);
  } else if (kind_of(payload) == MessageKind::apply) {
    prepare(context);
  } else {
    refuse(payload, control_port(), context);
  }
}

/// The switch's own processor takes its time.
void Ocs::prepare(Context& context) {
  SimTime at = context.now() + spec_.control_latency + added(commanded()) * spec_.control_per_circuit;
  if (spec_.control_jitter.count() > 0)
    at += SimTime{std::llround(jitter_.exponential(static_cast<double>(spec_.control_jitter.count())))};
  context.wake(at, to_payload(region_control::Apply{}));
}

void Ocs::carry_out(Context& context) {
  const CircuitTable table = commanded();
  commanded_.clear();
  report_missing(table, possible(table), context);
  const SimTime lit = apply(table, context.now(), context);
  context.send(control_port(), lit, to_payload(region_control::Lit{}));
}

CircuitTable Ocs::commanded() const {
  CircuitTable table;
  for (std::size_t i = 0; i + 1 < commanded_.size(); i += 2)
    table.set(static_cast<PortIndex>(commanded_[i]), static_cast<PortIndex>(commanded_[i + 1]));
  return table;
}

std::int64_t Ocs::added(const CircuitTable& table) const {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto in = static_cast<PortIndex>(i);
    const PortIndex out = table.out(in);
    count += out != CircuitTable::dark && out != ports_[i].out && !is_other_half(table, in);
  }
  return count;
}

bool Ocs::is_other_half(const CircuitTable& table, PortIndex in) const {
  const PortIndex out = table.out(in);
  return out < in && table.out(out) == in && ports_[out].out != in;
}

/// Brings the circuits up to now. Done on arrivals instead of by timers, so that a schedule does not prolong
/// a run.
void Ocs::catch_up(Context& context) {
  for (;;) {
    const bool has_change = next_ < spec_.schedule.size() && spec_.schedule[next_].at <= context.now();
    const bool has_fault = next_fault_ < spec_.faults.size() && spec_.faults[next_fault_].at <= context.now();
    if (has_fault && (!has_change || spec_.faults[next_fault_].at <= spec_.schedule[next_].at)) {
      apply_fault(spec_.faults[next_fault_++], context);
    } else if (has_change) {
      const Reconfiguration& change = spec_.schedule[next_++];
      apply(change.table, change.at, context);
    } else {
      return;
    }
  }
}

void Ocs::raise_alarm(std::uint32_t port, Context& context) {
  if (control_port() < links_.size() && links_[control_port()].is_valid() && !is_over_)
    context.send(control_port(), context.now(), to_payload(region_control::Alarm{.port = port}));
}

/// Which ports are to blame for circuits that a command asked for in vain.
void Ocs::report_missing(const CircuitTable& wanted, const CircuitTable& got, Context& context) {
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto in = static_cast<PortIndex>(i);
    const PortIndex out = wanted.out(in);
    if (out == got.out(in)) continue;
    const bool is_own = ports_[i].is_failed || ports_[i].is_stuck;
    raise_alarm(is_own ? in : out, context);
  }
}

void Ocs::apply_fault(const OcsFault& fault, Context& context) {
  if (fault.kind == OcsFault::Kind::failed)
    raise_alarm(fault.port == OcsFault::whole_switch ? region_control::Alarm::all_ports : fault.port,
                context);
  for (std::size_t i = 0; i < spec_.ports && i < ports_.size(); ++i) {
    if (fault.port != OcsFault::whole_switch && fault.port != i) continue;
    Port& port = ports_[i];
    port.is_failed = fault.kind == OcsFault::Kind::failed;
    port.is_stuck = fault.kind == OcsFault::Kind::stuck;
    if (!port.is_failed) continue;
    for (std::size_t k = 0; k < ports_.size(); ++k)
      if (k == i || ports_[k].out == i)
        join(static_cast<PortIndex>(k), CircuitTable::dark, fault.at, fault.at, context);
  }
}

/// What the ports can do of what is wanted: failed ones are dark, stuck ones keep what they have.
CircuitTable Ocs::possible(const CircuitTable& wanted) const {
  CircuitTable table;
  std::vector<bool> is_taken(ports_.size(), false);
  for (std::size_t i = 0; i < ports_.size(); ++i)
    if (ports_[i].is_stuck && ports_[i].out < ports_.size()) is_taken[ports_[i].out] = true;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto in = static_cast<PortIndex>(i);
    PortIndex out = wanted.out(in);
    if (ports_[i].is_stuck)
      out = ports_[i].out;
    else if (ports_[i].is_failed || (out < ports_.size() && (ports_[out].is_failed || is_taken[out])))
      out = CircuitTable::dark;
    table.set(in, out);
  }
  return table;
}

SimTime Ocs::apply(const CircuitTable& wanted, SimTime at, Context& context) {
  const CircuitTable table = possible(wanted);
  SimTime dark_until = at, all_lit = at;
  std::vector<SimTime> lit(ports_.size(), at);
  std::vector<bool> has_light(ports_.size(), false);
  bool has_changed = false;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto in = static_cast<PortIndex>(i);
    const PortIndex out = table.out(in);
    if (out < ports_.size()) {
      LIGHTRAIL_EXPECT(!has_light[out]);  // a circuit never carries two senders
      has_light[out] = true;
    }
    if (out == ports_[i].out) continue;
    has_changed = true;
    if (out == CircuitTable::dark) continue;
    if (is_other_half(table, in)) {
      lit[i] = lit[out];
      continue;
    }
    // One circuit after the other, or all together.
    dark_until = spec_.serial ? dark_until + spec_.dark_time : at + spec_.dark_time;
    lit[i] = dark_until;
  }
  for (std::size_t i = 0; i < ports_.size() && has_changed; ++i) {
    const auto in = static_cast<PortIndex>(i);
    const PortIndex out = table.out(in);
    const bool goes_dark = out != ports_[i].out || spec_.dark == DarkScope::all;
    if (!goes_dark || (out == CircuitTable::dark && ports_[i].out == CircuitTable::dark)) continue;
    SimTime from = spec_.dark == DarkScope::all ? std::max(dark_until, at + spec_.dark_time) : lit[i];
    if (out < links_.size() && links_[out].is_valid())
      from += model_.link_classes[model_.links[links_[out].value].link_class].light.retraining;
    if (out != CircuitTable::dark) all_lit = std::max(all_lit, from);
    join(in, out, at, from, context);
  }
  return all_lit;
}

void Ocs::join(PortIndex port, PortIndex out, SimTime at, SimTime lit_from, Context& context) {
  Port& p = ports_[port];
  write_row(context, port, at);
  if (out != p.out) p.failure = failure_of(port, out);
  p.out = out;
  p.since = at;
  p.lit_from = lit_from;
  p.bytes = p.lost_bytes = 0;
}

void Ocs::write_row(Context& context, PortIndex port, SimTime end) {
  const Port& p = ports_[port];
  if (!is_recorded_ || (p.out == CircuitTable::dark && p.lost_bytes == 0)) return;
  std::int64_t out = p.out == CircuitTable::dark ? -1 : p.out;
  SimTime start = p.out == CircuitTable::dark ? p.since : p.lit_from;
  std::array<std::int64_t, 6> row{port, out, start.count(), end.count(), p.bytes, p.lost_bytes};
  context.record_at(start, tables::ocs, row);
}

void Ocs::finish(Context& context) {
  is_over_ = true;
  catch_up(context);
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    write_row(context, static_cast<PortIndex>(i), SimTime{-1});
    if (links_[i].is_valid()) meters_[i].finish(context, meter_settings_);
  }
  auto* output = model_.resource<OutputSelection>();
  if (!output || !output->is_recorded(tables::power)) return;
  // An optical switch draws the same power with and without traffic; 1 W for 1 ps is 1 pJ.
  const double energy_pj = spec_.power.value * static_cast<double>(context.now().count()) + link_energy_pj();
  if (energy_pj == 0) return;
  std::array<std::int64_t, 2> row{context.now().count(), std::bit_cast<std::int64_t>(energy_pj)};
  context.record(tables::power, row);
}

/// The modules that light goes to from here: the senders count those that it came from.
double Ocs::link_energy_pj() const {
  double sum = 0;
  for (std::size_t i = 0; i < links_.size(); ++i)
    if (links_[i].is_valid())
      sum += model_.link_classes[model_.links[links_[i].value].link_class].energy_pj_per_bit * 8 *
             static_cast<double>(meters_[i].total_bytes());
  return sum;
}

void Ocs::save(StateWriter& out) const {
  for (const Port& p : ports_) {
    out.put(p.out), out.put(p.is_failed), out.put(p.is_stuck), out.put(p.since), out.put(p.lit_from);
    out.put(p.bytes), out.put(p.lost_bytes), out.put(p.failure);
  }
  out.put(meters_), out.put(next_), out.put(next_fault_), out.put(commanded_), out.put(jitter_);
  out.put(errors_), out.put(is_over_);
  for (const auto& [port, flaps] : flaps_) flaps.line.save(out), out.put(flaps.up_at);
  transit_->save(out);
}

void Ocs::load(StateReader& in) {
  for (Port& p : ports_) {
    in.get(p.out), in.get(p.is_failed), in.get(p.is_stuck), in.get(p.since), in.get(p.lit_from);
    in.get(p.bytes), in.get(p.lost_bytes), in.get(p.failure);
  }
  in.get(meters_), in.get(next_), in.get(next_fault_), in.get(commanded_), in.get(jitter_);
  in.get(errors_), in.get(is_over_);
  for (auto& [port, flaps] : flaps_) flaps.line.load(in), in.get(flaps.up_at);
  transit_->load(in);
}

std::shared_ptr<const ComponentKind> ocs_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "ocs";
  kind->doc =
      "Optical circuit switch: joins ports one to one, without buffer. A <schedule> of <at time circuits> or "
      "a "
      "controller replaces the circuits; added ones have light dark-time later. What meets darkness is lost: "
      "its sender's transport sends it again. <fault at port kind> makes ports fail or stick. Leaves out "
      "crosstalk.";
  kind->weight = 4;
  kind->ports = {{"0 ...", "ports", "any optical link; light of both directions"},
                 {"ports", "0 or 1", "its controller"}};
  kind->statistics = {{"ocs", "every circuit: times, payload, and what met darkness"},
                      {"link_use", "payload and busy time of every output by interval"},
                      {"power", "energy of the switch and of the modules that receive from it"}};
  bind_spec(*kind, ocs_table());
  kind->make_spec = make_ocs_spec;
  accept_sources(*kind);
  kind->make = [](const BuildContext& build) { return std::make_unique<Ocs>(build); };
  return kind;
}

}  // namespace lightrail
