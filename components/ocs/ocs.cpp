#include "components/ocs/ocs.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "components/ocs/tables.hpp"
#include "engine/model/output_selection.hpp"
#include "network/health/health_table.hpp"
#include "network/port/build_checks.hpp"
#include "network/port/line_errors.hpp"
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
      meter_settings_(meter_settings(build.model)),
      traffic_meters_(build),
      circuits_(build, spec_),
      transit_(make_transit(build, control_port())),
      jitter_(build.model.seed, build.id, jitter_purpose),
      errors_(build.model.seed, build.id, error_purpose) {
  check_port_count(build, spec_.ports + 1);  // the control port
  if (const auto* health = model_.resource<HealthTable>()) changes_ = health->port_changes(build.id);
  for (std::uint32_t i = 0; i < build.record.port_count; ++i) {
    const auto port = static_cast<PortIndex>(i);
    const LinkId link = circuits_.link(i);
    meters_.emplace_back(link);
    lines_.emplace_back(link.is_valid() ? model_.link_classes[model_.links[link.value].link_class].rate
                                        : BitRate{});
    if (auto losses = LightLosses::of(model_, link)) flaps_.emplace(port, Flaps{*losses, SimTime{0}});
  }
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
  Circuits::Port& in = circuits_[port];
  const std::uint32_t payload_bytes = is_payload(train.kind) ? train.bytes : 0;
  if (in.out == CircuitTable::dark || context.now() < in.lit_from || !circuits_.link(in.out).is_valid() ||
      in.failure > no_link || is_cut_off(in.out, context.now(), train.bytes)) {
    in.lost_bytes += payload_bytes;
    if (in.out != CircuitTable::dark && in.failure > no_link) raise_alarm(port, context);
    return send_back(context, train, port, false);
  }
  if (in.failure > never) {
    const LinkLight& light = circuits_.light(circuits_.link(in.out));
    if (errors_.uniform() < train_failure(in.failure, light.codeword_bytes, train.bytes))
      return send_back(context, train, port, light.has_replay);
  }
  in.bytes += payload_bytes;
  transit_->on_passed(port, in.out, train);
  const SimTime busy = lines_[in.out].of(train.bytes);
  meters_[in.out].add(context, meter_settings_, context.now(), busy, payload_bytes);
  if (traffic_meters_.is_on())
    traffic_meters_.add(context, in.out, train.address.connection(), context.now(), busy, payload_bytes);
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
  if (now >= up_at) up_at = flaps->second.losses.first_fit(now, lines_[out].of(bytes));
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
  SimTime at =
      context.now() + spec_.control_latency + circuits_.added(commanded()) * spec_.control_per_circuit;
  if (spec_.control_jitter.count() > 0)
    at += SimTime{std::llround(jitter_.exponential(static_cast<double>(spec_.control_jitter.count())))};
  context.wake(at, to_payload(region_control::Apply{}));
}

void Ocs::carry_out(Context& context) {
  const CircuitTable table = commanded();
  commanded_.clear();
  report_missing(table, circuits_.possible(table), context);
  const SimTime lit = circuits_.apply(table, context.now(), context);
  context.send(control_port(), lit, to_payload(region_control::Lit{}));
}

CircuitTable Ocs::commanded() const {
  CircuitTable table;
  for (std::size_t i = 0; i + 1 < commanded_.size(); i += 2)
    table.set(static_cast<PortIndex>(commanded_[i]), static_cast<PortIndex>(commanded_[i + 1]));
  return table;
}

/// Brings the circuits up to now. Done on arrivals instead of by timers, so that a schedule does not prolong
/// a run.
void Ocs::catch_up(Context& context) {
  for (;;) {
    const bool has_change = next_ < spec_.schedule.size() && spec_.schedule[next_].at <= context.now();
    const bool has_fault = next_fault_ < changes_.size() && changes_[next_fault_].at <= context.now();
    if (has_fault && (!has_change || changes_[next_fault_].at <= spec_.schedule[next_].at)) {
      const PortChange& change = changes_[next_fault_++];
      if (change.state == PortState::failed)
        raise_alarm(change.port == PortChange::all_ports ? region_control::Alarm::all_ports : change.port,
                    context);
      circuits_.change(change, context);
    } else if (has_change) {
      const Reconfiguration& change = spec_.schedule[next_++];
      circuits_.apply(change.table, change.at, context);
    } else {
      return;
    }
  }
}

void Ocs::raise_alarm(std::uint32_t port, Context& context) {
  if (circuits_.link(control_port()).is_valid() && !is_over_)
    context.send(control_port(), context.now(), to_payload(region_control::Alarm{.port = port}));
}

/// Which ports are to blame for circuits that a command asked for in vain.
void Ocs::report_missing(const CircuitTable& wanted, const CircuitTable& got, Context& context) {
  for (std::size_t i = 0; i < circuits_.size(); ++i) {
    const auto in = static_cast<PortIndex>(i);
    const PortIndex out = wanted.out(in);
    if (out == got.out(in)) continue;
    const bool is_own = circuits_[in].is_failed || circuits_[in].is_stuck;
    raise_alarm(is_own ? in : out, context);
  }
}

void Ocs::finish(Context& context) {
  is_over_ = true;
  catch_up(context);
  circuits_.finish(context);
  traffic_meters_.finish(context);
  for (std::size_t i = 0; i < meters_.size(); ++i)
    if (circuits_.link(i).is_valid()) meters_[i].finish(context, meter_settings_);
  auto* output = model_.resource<OutputSelection>();
  if (!output || !output->is_recorded(tables::power)) return;
  // An optical switch draws the same power with and without traffic; 1 W for 1 ps is 1 pJ.
  const double energy_pj = spec_.power.value * static_cast<double>(context.now().count()) +
                           context.whole_run().of(link_energy_pj());
  if (energy_pj == 0) return;
  std::array<std::int64_t, 2> row{context.now().count(), std::bit_cast<std::int64_t>(energy_pj)};
  context.record(tables::power, row);
}

/// The modules that light goes to from here: the senders count those that it came from.
double Ocs::link_energy_pj() const {
  double sum = 0;
  for (std::size_t i = 0; i < meters_.size(); ++i)
    if (const LinkId link = circuits_.link(i); link.is_valid())
      sum += model_.link_classes[model_.links[link.value].link_class].energy_pj_per_bit * 8 *
             static_cast<double>(meters_[i].total_bytes());
  return sum;
}

void Ocs::save(StateWriter& out) const {
  circuits_.save(out);
  traffic_meters_.save(out);
  out.put(meters_), out.put(next_), out.put(next_fault_), out.put(commanded_), out.put(jitter_);
  out.put(errors_), out.put(is_over_);
  for (const auto& [port, flaps] : flaps_) flaps.losses.save(out), out.put(flaps.up_at);
  transit_->save(out);
}

void Ocs::load(StateReader& in) {
  circuits_.load(in);
  traffic_meters_.load(in);
  in.get(meters_), in.get(next_), in.get(next_fault_), in.get(commanded_), in.get(jitter_);
  in.get(errors_), in.get(is_over_);
  for (auto& [port, flaps] : flaps_) flaps.losses.load(in), in.get(flaps.up_at);
  transit_->load(in);
}

}  // namespace lightrail
