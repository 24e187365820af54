#include "components/controller/controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "components/controller/require_resource.hpp"
#include "engine/base/transfer_time.hpp"
#include "engine/model/require_together.hpp"
#include "network/port/build_checks.hpp"
#include "network/wire/region_control.hpp"

namespace lightrail {
namespace {

const Regions& regions_of(const BuildContext& build) {
  return require_resource<Regions>(
      build, "a controller belongs to a region of a <fabric kind=\"mixnet\">",
      [&](const Regions& regions) { return build.record.number < regions.regions.size(); });
}

std::vector<std::pair<std::string, Assignment>> algorithms() {
  auto all = assignment_choices();
  all.emplace_back("birkhoff-schedule", Assignment::birkhoff_schedule);
  return all;
}

}  // namespace

Controller::Controller(const BuildContext& build)
    : model_(build.model),
      spec_(static_cast<const ControllerSpec&>(build.spec)),
      regions_(regions_of(build)),
      region_(regions_.regions[build.record.number]),
      gpus_(static_cast<std::uint32_t>((build.record.port_count - 1u) / region_.servers.size())),
      circuits_(has_phases() ? one_way(region_.circuits) : region_.circuits),
      demand_(static_cast<std::uint32_t>(region_.servers.size())) {}

Controller::Call& Controller::call(std::uint32_t number) {
  for (Call& c : calls_)
    if (c.number == number) return c;
  calls_.push_back({number, 0, DemandMatrix(static_cast<std::uint32_t>(region_.servers.size()))});
  return calls_.back();
}

void Controller::handle(const Event& event, PortIndex port, Context& context) {
  using namespace region_control;
  const Payload& p = event.payload;
  if (port == self_port) return on_timer(as<Timer>(p), context);
  const MessageKind kind = kind_of(p);
  const bool is_of_switch = kind == MessageKind::lit || kind == MessageKind::alarm;
  if (is_of_switch != (port == 0)) refuse(p, port, context);
  if (kind == MessageKind::lit) return on_lit(context);
  if (kind == MessageKind::alarm) return on_alarm(as<Alarm>(p).port, context);
  if (kind == MessageKind::demand) {
    const auto demand = as<Demand>(p);
    call(demand.call).demand.at((port - 1u) / gpus_, demand.member) += demand.units * Demand::unit;
  } else if (kind == MessageKind::demand_end) {
    ++call(as<DemandEnd>(p).call).reports;
    decide_when_complete(context);
  } else if (kind == MessageKind::absent) {
    ++absent_;
    decide_when_complete(context);
  } else if (kind == MessageKind::begun) {
    ++begun_;
    start_phase(context);
  } else if (kind == MessageKind::drained) {
    on_drained(as<Drained>(p).epoch, context);
  } else {
    refuse(p, port, context);
  }
}

void Controller::refuse(const Payload& payload, PortIndex port, const Context& context) const {
  throw SimulationError(context.now(), model_.component_name(context.self()),
                        fmt::format("{} on port {} from {}; the controller of a region takes no such message",
                                    unexpected(payload), port, port == 0 ? "its optical switch" : "a GPU"));
}

void Controller::on_timer(const Timer& timer, Context& context) {
  switch (timer.kind) {
    case Wake::decide:
      return decide(context);
    case Wake::command:
      return command(context);
    case Wake::end_phase:
      return end_phase(timer.epoch, context);
  }
}

void Controller::on_drained(std::uint32_t epoch, Context& context) {
  LIGHTRAIL_EXPECT(epoch == epoch_ && stage_ == Stage::draining);
  if (++drained_ < gpu_count()) return;
  stage_ = Stage::guarding;
  context.wake(context.now() + spec_.guard, to_payload(Timer{.kind = Wake::command}));
}

void Controller::on_lit(Context& context) {
  LIGHTRAIL_EXPECT(stage_ == Stage::dark);
  circuits_ = wanted_;
  is_stale_ = false;
  last_change_ = context.now() - pause_at_;
  go_live(context);
}

/// All GPUs that take part have announced the next call.
void Controller::decide_when_complete(Context& context) {
  const auto next = std::find_if(calls_.begin(), calls_.end(),
                                 [&](const Call& announced) { return announced.number == next_call_; });
  if (next == calls_.end() || next->reports + absent_ < gpu_count()) return;
  if (stage_ != Stage::live) return;  // a repair is under way
  stage_ = Stage::deciding;
  context.wake(context.now() + spec_.decision, to_payload(Timer{.kind = Wake::decide}));
}

/// All demand of the next call is here.
void Controller::decide(Context& context) {
  demand_ = call(next_call_).demand;
  if (has_phases()) return decide_phases(context);
  const CircuitCounts now = counts_of(circuits_, demand_.servers), wanted = wanted_for(demand_, now);
  if (wanted == now && !is_stale_) return go_live(context);
  change_to(wanted, context);
}

CircuitCounts Controller::wanted_for(const DemandMatrix& demand, const CircuitCounts& now) const {
  const bool may_change = spec_.policy != ReconfigurePolicy::never &&
                          !(spec_.policy == ReconfigurePolicy::once && next_call_ > 0);
  const bool is_known =
      std::any_of(demand.bytes.begin(), demand.bytes.end(), [](std::int64_t bytes) { return bytes > 0; });
  if (!may_change || !is_known) return now;
  CircuitCounts wanted = assign_circuits(spec_.algorithm, demand, regions_.ports(region_));
  return spec_.policy == ReconfigurePolicy::gain && !is_worth(demand, now, wanted) ? now : wanted;
}

void Controller::change_to(const CircuitCounts& wanted, Context& context) {
  wanted_ = (has_phases() ? place_one_way : place_circuits)(wanted, regions_, region_, circuits_);
  stage_ = Stage::draining;
  is_stale_ = false;
  drained_ = 0;
  pause_at_ = context.now();
  ++epoch_, ++changes_;
  tell_all(context, to_payload(region_control::Pause{.epoch = epoch_}));
}

/// A port is out of order from now on. Circuits that a command under way has made over it are not told of.
void Controller::on_alarm(std::uint32_t port, Context& context) {
  const std::size_t ports = regions_.optical_nics.size(), nics = regions_.gpu_of_nic.size();
  region_.failed.resize(region_.servers.size() * nics);
  for (std::size_t i = 0; i < region_.servers.size() * ports; ++i)
    if (port == i || port == region_control::Alarm::all_ports)
      region_.failed[i / ports * nics + regions_.optical_nics[i % ports]] = 1;
  const auto is_gone = [&](const Regions::Circuit& c) {
    return !region_.works(c.a, c.nic_a) || !region_.works(c.b, c.nic_b);
  };
  is_stale_ |= std::erase_if(circuits_, is_gone) > 0;
  std::erase_if(wanted_, is_gone);
  const bool is_live = stage_ == Stage::live || stage_ == Stage::serving;
  if (!is_live || !is_stale_) return;  // the change under way, or the decision, heeds it
  is_repair_ = true;
  if (has_phases()) return change_to(counts_of_phase(), context);
  change_to(wanted_for(demand_, counts_of(circuits_, demand_.servers)), context);
}

bool Controller::is_worth(const DemandMatrix& demand, const CircuitCounts& now,
                          const CircuitCounts& wanted) const {
  const double gained =
      completion(demand, now, spec_.packet_share) - completion(demand, wanted, spec_.packet_share);
  const double rate = static_cast<double>(regions_.circuit_rate.value) / 8e12;  // bytes a picosecond
  return gained / rate > static_cast<double>(spec_.expected_dark.count());
}

void Controller::command(Context& context) {
  stage_ = Stage::dark;
  for (const Regions::Circuit& c : wanted_) {
    const std::uint32_t a = ocs_port(regions_, c.a, c.nic_a), b = ocs_port(regions_, c.b, c.nic_b);
    context.send(0, context.now(), to_payload(region_control::Connect{.in = a, .out = b}));
    if (!c.is_one_way) context.send(0, context.now(), to_payload(region_control::Connect{.in = b, .out = a}));
  }
  context.send(0, context.now(), to_payload(region_control::Apply{}));
}

void Controller::go_live(Context& context) {
  if (stage_ == Stage::dark)
    for (const Regions::Circuit& c : circuits_)
      for (std::uint32_t gpu = 0; gpu < gpus_; ++gpu) {
        const auto port = [&](std::uint32_t member) {
          return static_cast<PortIndex>(1 + member * gpus_ + gpu);
        };
        context.send(port(c.a), context.now(),
                     to_payload(region_control::Circuit{.nic = c.nic_a, .member = c.b}));
        if (!c.is_one_way)
          context.send(port(c.b), context.now(),
                       to_payload(region_control::Circuit{.nic = c.nic_b, .member = c.a}));
      }
  const bool is_start = !is_repair_ && phase_ == 0;  // of a call
  if (is_start) {
    std::erase_if(calls_, [&](const Call& c) { return c.number == next_call_; });
    ++next_call_;
  }
  is_repair_ = false;
  tell_beside(context);
  tell_later(context);
  tell_all(context, to_payload(region_control::Live{.wants_begun = is_start && has_later_phase() ? 1u : 0u,
                                                    .calls = next_call_,
                                                    .epoch = epoch_}));
  stage_ = has_later_phase() ? Stage::serving : Stage::live;
  if (stage_ == Stage::serving) return start_phase(context);
  decide_when_complete(context);
}

void Controller::tell_all(Context& context, const Payload& payload) {
  for (std::uint32_t gpu = 0; gpu < gpu_count(); ++gpu)
    context.send(static_cast<PortIndex>(1 + gpu), context.now(), payload);
}

void Controller::finish(Context&) {}

std::vector<std::string> Controller::waits_for() const {
  if (stage_ == Stage::draining)
    return {fmt::format("{} of {} GPUs have drained their circuits", drained_, gpu_count())};
  if (stage_ == Stage::serving)
    return {
        fmt::format("{} of {} GPUs have begun exchange {}", begun_, gpu_count() - absent_, next_call_ - 1)};
  std::vector<std::string> all;
  for (const Call& c : calls_)
    all.push_back(fmt::format("exchange {}: {} of {} GPUs have announced their demand", c.number, c.reports,
                              gpu_count() - absent_));
  return all;
}

void Controller::save(StateWriter& out) const {
  out.put(calls_.size());
  for (const Call& c : calls_) out.put(c.number), out.put(c.reports), out.put(c.demand.bytes);
  for (const auto* circuits : {&circuits_, &wanted_}) {
    out.put(circuits->size());
    for (const Regions::Circuit& c : *circuits)
      out.put(c.a), out.put(c.b), out.put(c.nic_a), out.put(c.nic_b), out.put(c.is_one_way);
  }
  out.put(stage_), out.put(next_call_), out.put(epoch_), out.put(drained_), out.put(changes_);
  out.put(absent_), out.put(region_.failed), out.put(demand_.bytes), out.put(is_stale_), out.put(is_repair_);
  out.put(phase_), out.put(begun_), out.put(beside_), out.put(pause_at_), out.put(last_change_);
  out.put(phases_.size());
  for (const CircuitPhase& p : phases_) out.put(p.circuits.count), out.put(p.bytes.bytes);
}

void Controller::load(StateReader& in) {
  std::size_t count = 0;
  in.get(count);
  calls_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t number = 0;
    in.get(number);
    Call& c = call(number);
    in.get(c.reports), in.get(c.demand.bytes);
  }
  for (auto* circuits : {&circuits_, &wanted_}) {
    in.get(count);
    circuits->assign(count, {});
    for (Regions::Circuit& c : *circuits)
      in.get(c.a), in.get(c.b), in.get(c.nic_a), in.get(c.nic_b), in.get(c.is_one_way);
  }
  in.get(stage_), in.get(next_call_), in.get(epoch_), in.get(drained_), in.get(changes_);
  in.get(absent_), in.get(region_.failed), in.get(demand_.bytes), in.get(is_stale_), in.get(is_repair_);
  in.get(phase_), in.get(begun_), in.get(beside_), in.get(pause_at_), in.get(last_change_);
  in.get(count);
  phases_.assign(count, {CircuitCounts(demand_.servers), DemandMatrix(demand_.servers)});
  for (CircuitPhase& p : phases_) in.get(p.circuits.count), in.get(p.bytes.bytes);
}

std::shared_ptr<const ComponentKind> controller_kind() {
  using S = ControllerSpec;
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "controller";
  kind->doc =
      "Controller of one region of optical circuits (MixNet): collects the demand of an exchange, computes "
      "circuits, drains, switches, resumes. Assigns around ports that fail. Leaves out its own failure.";
  kind->weight = 4;
  kind->ports = {{"0", "1", "the region's optical switch"}, {"1 ...", "GPUs", "the region's GPUs"}};
  const SimTime hour = milliseconds(3'600'000);
  bind_spec(
      *kind,
      Describe<S>()
          .choice("algorithm", &S::algorithm, "how circuits follow from demand", algorithms())
          .field("phases", &S::phases,
                 "birkhoff-schedule: of one exchange, at most; each has circuits of its own", 1u, 64u)
          .choice("policy", &S::policy, "which exchanges get circuits of their own",
                  {{"always", ReconfigurePolicy::always},
                   {"once", ReconfigurePolicy::once},
                   {"never", ReconfigurePolicy::never},
                   {"gain", ReconfigurePolicy::gain}})
          .field("latency", &S::latency, "of the control network, one way", picoseconds(1), hour)
          .field("decision", &S::decision, "to compute circuits", SimTime{0}, hour)
          .field("guard", &S::guard, "from drained circuits to the command that switches them", SimTime{0},
                 hour)
          .field("expected-dark", &S::expected_dark, "policy gain: what a change costs", SimTime{0}, hour)
          .field("packet-share", &S::packet_share, "policy gain: packet NICs of a server, in circuits", 0.0,
                 1000.0));
  kind->make_spec = [parse = kind->make_spec](const Element& controller, ErrorList& errors) {
    std::shared_ptr<const Spec> spec = parse(controller, errors);
    const S& s = static_cast<const S&>(*spec);
    if (s.policy != ReconfigurePolicy::gain)
      refuse_without(controller, {"expected-dark", "packet-share"}, "policy=\"gain\"", errors);
    const bool has_phases = s.algorithm == Assignment::birkhoff_schedule;
    if (!has_phases) refuse_without(controller, {"phases"}, "algorithm=\"birkhoff-schedule\"", errors);
    if (const Attribute* policy = controller.find("policy");
        has_phases && policy && (s.policy == ReconfigurePolicy::once || s.policy == ReconfigurePolicy::never))
      errors.add(
          {policy->file, policy->line,
           fmt::format("<controller> attribute 'policy': '{}' leaves algorithm=\"birkhoff-schedule\" "
                       "nothing to do, which changes circuits within exchanges (expected always or gain)",
                       policy->value)});
    return spec;
  };
  accept_sources(*kind);
  kind->make = [](const BuildContext& build) { return std::make_unique<Controller>(build); };
  return kind;
}

}  // namespace lightrail
