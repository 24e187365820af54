#include "components/gpu/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "components/gpu/check_gpus.hpp"
#include "components/gpu/transport/gpu_wakes.hpp"
#include "engine/base/prefetch.hpp"
#include "network/health/health_table.hpp"
#include "network/health/spare_servers.hpp"
#include "network/port/tables.hpp"
#include "network/transport/discards.hpp"
#include "network/wire/injector_wake.hpp"

namespace lightrail {
namespace {

const ProgramSet* programs_for(const BuildContext& build) {
  const auto* set = build.model.resource<ProgramSet>();
  return set && build.record.number < set->program_of_gpu.size() ? set : nullptr;
}

std::optional<LaunchServer> launches_of(const Model& model, ComponentId gpu, EndpointId of_job,
                                        HostTimelineCache& timelines) {
  const ProgramSet& set = *model.resource<ProgramSet>();
  const std::uint32_t number = set.program_of_gpu[of_job.value];
  const Program& program = set.programs[number];
  const HostCosts* costs = set.uses_hosts(program) ? host_costs_of(model, gpu) : nullptr;
  if (!costs) return std::nullopt;
  return std::optional<LaunchServer>(std::in_place,
                                     timelines.get(set, *model.resource<ProgramIndexes>(), number, *costs),
                                     *costs, set.host_of(program), set.start_of(program));
}

bool changes_pace(const BuildContext& build) {
  const auto* health = build.model.resource<HealthTable>();
  return health && !health->pace_changes(build.id).empty();
}

std::unique_ptr<Component> make_gpu(const BuildContext& build, KernelTimesCache& cache,
                                    const std::shared_ptr<HostTimelineCache>& timelines) {
  const auto& spec = static_cast<const GpuSpec&>(build.spec);
  std::shared_ptr<KernelTimes> times;
  if (const ProgramSet* set = programs_for(build)) {
    const std::uint32_t program = set->program_of_gpu[build.record.number];
    if (std::string missing =
            missing_memory(spec, set->programs[program], build.model.component_name(build.id));
        !missing.empty())
      throw InputErrors(InputError{"", 0, std::move(missing)});
    times = cache.get(spec.compute, *set);
    times->check(program, build.model.names);
  }
  auto launches = [timelines, &model = build.model, id = build.id](EndpointId of_job) {
    return launches_of(model, id, of_job, *timelines);
  };
  return std::make_unique<Gpu>(build, std::move(times), std::move(launches));
}

}  // namespace

Gpu::Gpu(const BuildContext& build, std::shared_ptr<KernelTimes> times, Launches launches)
    : changes_pace_(times && changes_pace(build)),
      restarts_(times && restarts_jobs(build.model)),
      build_(build),
      transport_(build, EndpointId{build.record.number}, spec().memory_bandwidth),
      times_(std::move(times)),
      launches_(std::move(launches)) {
  if (times_) run_as(EndpointId{build.record.number});
}

void Gpu::run_as(EndpointId of_job) {
  runner_.emplace(build_, of_job, times_, launches_(of_job));
}

void Gpu::start(Context& context) {
  if (runner_)
    runner_->start(context, transport_);
  else
    transport_.announce_absence(context);
  if (transport_.can_lose_links()) watch_links(context);
}

void Gpu::handle(const Event& event, PortIndex port, Context& context) {
  if (changes_pace_) {
    runner_->keep_pace(context);
    if (!runner_->stands_still() && !held_.is_empty()) go_on(context);
  }
  dispatch(event.payload, port, context);
  tell_ends(context);
  if (transport_.can_lose_links()) watch_links(context);
}

/// What it sends when it hears of ends may meet a failed link, too.
void Gpu::watch_links(Context& context) {
  do {
    transport_.watch_planes(context);
    tell_ends(context);
  } while (transport_.has_cut_off());
}

void Gpu::tell_ends(Context& context) {
  transport_.tell_ends([&](const MessageEnd& end) {
    if (!stands_still()) return runner_->on_end(context, transport_, end);
    held_.ends.push_back({end.owner, end.at, end.is_sent});
    runner_->ask_for_pace(context);
  });
}

void Gpu::go_on(Context& context) {
  const HeldEvents held = std::exchange(held_, {});
  for (const HeldEvents::Told& told : held.told)
    dispatch(told.payload, static_cast<PortIndex>(told.port), context);
  for (const HeldEvents::End& end : held.ends)
    runner_->on_end(context, transport_, {end.owner, std::max(end.at, context.now()), end.is_sent != 0});
  tell_ends(context);
}

/// Whether an event is for the program, and not for the transport, which works without the GPU.
bool Gpu::is_for_program(const Payload& p, PortIndex port) {
  if (port != self_port) return port == GpuPort::scheduler;
  if (kind_of(p) == MessageKind::wake) return false;
  const GpuWake wake = gpu_wake_of(p);
  return wake == GpuWake::received || wake == GpuWake::timer || wake == GpuWake::op_end ||
         wake == GpuWake::launched;
}

void Gpu::dispatch(const Payload& p, PortIndex port, Context& context) {
  if (stands_still() && is_for_program(p, port)) {
    held_.told.push_back({p, port});
    return runner_->ask_for_pace(context);
  }
  if (port == self_port) return on_self(p, context);
  // A meeting has the last ports, whatever these are.
  if (kind_of(p) == MessageKind::met) return runner_->on_met(context, transport_, as<meeting::Met>(p));
  if (port == GpuPort::scheduler) return on_scheduler(p, context);
  if (kind_of(p) == MessageKind::sent) return transport_.on_notice(context, as<SentNotice>(p));
  if (restarts_ && on_restart(p, context)) return;
  if (kind_of(p) == MessageKind::recall_answer)
    return runner_->on_recall_answer(context, transport_, as<recall::Answer>(p));
  transport_.on_wire(context, p, port);
}

void Gpu::tell_hot(HotLines& lines) const {
  lines.add_all(changes_pace_, build_);
  transport_.tell_hot(lines);
}

void Gpu::prefetch(std::span<const Delivery> events, std::span<const OutLink> links) const {
  const auto prefetch_line_of = [&](std::uint32_t port) {
    if (port >= links.size()) return;
    transport_.prefetch_line_of(static_cast<PortIndex>(port));
    prefetch_line(&links[port]);
  };
  for (const Delivery& delivery : events) {
    const Payload& p = delivery.event.payload;
    if (kind_of(p) == MessageKind::flow_control) {
      transport_.prefetch_queue();
      prefetch_line_of(delivery.port);
    } else if (delivery.port != self_port) {
      transport_.prefetch_arrival(p);
    } else if (kind_of(p) == MessageKind::wake) {
      prefetch_line_of(as<InjectorWake>(p).tag);
    }
  }
}

void Gpu::handle_all(EventBatch& batch) {
  batch.for_each(
      [this](const Event& event, PortIndex port, Context& context) { handle(event, port, context); });
}

void Gpu::on_scheduler(const Payload& p, Context& context) {
  if (!runner_)
    throw SimulationError(context.now(), model().component_name(context.self()),
                          "the scheduler has work for a GPU without a program");
  runner_->on_scheduler(context, transport_, p);
}

bool Gpu::on_restart(const Payload& p, Context& context) {
  const MessageKind kind = kind_of(p);
  if (kind == MessageKind::halt)
    halt(as<restart_control::Halt>(p), context);
  else if (kind == MessageKind::resume)
    resume(as<restart_control::Resume>(p), context);
  else if (kind == MessageKind::broken_connection)
    on_break(as<restart_control::BrokenConnection>(p).address.connection(), context);
  else
    return false;
  return true;
}

void Gpu::on_break(const Connection& connection, Context& context) {
  if (connection.attempt() != runner_->attempt()) return;
  context.send(static_cast<PortIndex>(context.port_count() - 1), context.now(),
               to_payload(restart_control::Broken{.attempt = static_cast<std::uint8_t>(connection.attempt()),
                                                  .gpu = runner_->self()}));
}

/// Its processes are ended, whether the GPU works or not.
void Gpu::halt(const restart_control::Halt& order, Context& context) {
  held_ = {};
  runner_->halt(context, order.attempt);
  transport_.halt(context, order.attempt);
}

void Gpu::resume(const restart_control::Resume& order, Context& context) {
  const EndpointId here{build_.record.number};
  const auto* spares = model().resource<SpareServers>();
  if (const EndpointId of_job = spares ? spares->logical(here) : here; of_job != runner_->self())
    run_as(of_job);
  transport_.begin(order.attempt, order.decided_at);
  runner_->resume(context, transport_, order);
}

bool Gpu::is_idle_wake(const Event& event) const {
  if (kind_of(event.payload) == MessageKind::link_change)
    return transport_.is_idle_change(as<LinkChange>(event.payload));
  if (!restarts_) return false;
  // Of a server that was replaced: nobody waits for it to come back.
  if (gpu_wake_of(event.payload) == GpuWake::pace) return runner_->is_stopped();
  if (gpu_wake_of(event.payload) != GpuWake::watchdog) return false;
  return attempt_of(event.payload) != runner_->attempt() || runner_->is_watch_idle();
}

void Gpu::on_self(const Payload& p, Context& context) {
  if (kind_of(p) == MessageKind::wake) return transport_.on_wake(context, p);
  if (kind_of(p) == MessageKind::link_change) return transport_.on_link_change(context, as<LinkChange>(p));
  if (restarts_) {
    // What the program has set itself before its job was stopped.
    const bool is_watch = gpu_wake_of(p) == GpuWake::watchdog;
    const bool is_of_program = is_for_program(p, self_port) || is_watch || gpu_wake_of(p) == GpuWake::back;
    if (is_of_program && attempt_of(p) != runner_->attempt())
      return is_watch ? context.count_as_idle() : void();
    if (gpu_wake_of(p) == GpuWake::pace && runner_->is_stopped()) return context.count_as_idle();
  }
  switch (gpu_wake_of(p)) {
    case GpuWake::received:
      return runner_->on_received(context, transport_, as<OwnerWake>(p).owner);
    case GpuWake::timer:
      return runner_->on_timer(context, transport_, as<OwnerWake>(p).owner);
    case GpuWake::op_end: {
      const auto end = as<OpEndWake>(p);
      return runner_->on_op_end(context, transport_, end.op, end.setting);
    }
    case GpuWake::launched:
      return runner_->on_launched(context, transport_);
    case GpuWake::pace:
      return runner_->go_on(context, transport_);
    case GpuWake::watchdog:
      return runner_->on_watchdog(context);
    case GpuWake::back:
      return runner_->begin_again(context, transport_);
    case GpuWake::forward_train:
    case GpuWake::forward_control:
    case GpuWake::proxy:
    case GpuWake::rail:
      return transport_.on_wake(context, p);
  }
  LIGHTRAIL_EXPECT(!"a timer of a GPU");
}

void Gpu::finish(Context& context) {
  StepClock::Activity did{.idle = context.now()};
  if (runner_) did = runner_->finish(context, transport_);
  transport_.finish(context);
  const auto* output = model().resource<OutputSelection>();
  if (!output || !output->is_recorded(tables::power)) return;
  // 1 W for 1 ps is 1 pJ.
  const auto energy = [](Watts power, SimTime time) {
    return power.value * static_cast<double>(time.count());
  };
  const double energy_pj = energy(spec().power, did.compute) + energy(spec().memory_power, did.memory) +
                           energy(spec().communication_power, did.communication) +
                           energy(spec().idle_power, did.idle) +
                           context.whole_run().of(transport_.link_energy_pj());
  if (energy_pj == 0) return;
  const std::array<std::int64_t, 2> row{did.busy().count(), std::bit_cast<std::int64_t>(energy_pj)};
  context.record(tables::power, row);
}

std::vector<std::string> Gpu::waits_for() const {
  std::vector<std::string> all;
  if (runner_) all = runner_->waits_for(transport_);
  for (std::string& wait : transport_.waits_for()) all.push_back(std::move(wait));
  // With its program at its end nobody will ask for them: sent without a receiver, or delivered twice.
  const bool is_stopped = runner_ && runner_->is_stopped();
  if (const std::int64_t bytes = transport_.unclaimed_bytes(); all.empty() && bytes > 0 && !is_stopped)
    all.push_back(fmt::format("has ended, and {} B came in that no operation waited for", bytes));
  return all;
}

void Gpu::save(StateWriter& out) const {
  transport_.save(out);
  out.put(held_.told), out.put(held_.ends);
  if (restarts_) out.put(runner_->self());
  if (runner_) runner_->save(out);
}

void Gpu::load(StateReader& in) {
  transport_.load(in);
  in.get(held_.told), in.get(held_.ends);
  if (restarts_) {
    EndpointId of_job;
    in.get(of_job);
    if (of_job != runner_->self()) run_as(of_job);
  }
  if (runner_) runner_->load(in);
}

std::shared_ptr<const ComponentKind> gpu_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "gpu";
  kind->doc =
      "GPU: executes the program of its role; kernels take what a roofline with measured efficiencies says, "
      "communication runs as messages over NVLink, PCIe and its NIC and holds multiprocessors and bandwidth "
      "of "
      "the memory meanwhile. "
      "Leaves "
      "out contention between kernels; <variation> gives kernels jitter and makes GPUs slow.";
  kind->prefetches = true;
  kind->weight = 8;
  kind->state_bytes = 16 * 1024;  // flows, arrivals and streams of a collective over 64 GPUs
  kind->parameters = gpu_parameters().documentation();
  kind->ports = {{"0", "1", "NVSwitch"},
                 {"1", "1", "its NIC, over PCIe"},
                 {"2", "1", "host, over PCIe"},
                 {"3", "1", "controller of circuits"},
                 {"4", "1", "scheduler of an inference job"}};
  kind->statistics = {{"ops", "what it executed"},
                      {"messages", "what it received"},
                      {"collectives", "collectives it took part in"},
                      {"steps", "its iterations: compute, exposed communication, idle, waiting for the host"},
                      {"exposed", "what the time of its iterations went into"},
                      {"traffic", "payload it sent, by dimension"},
                      {"traffic_matrix", "payload it sent, by receiver"},
                      {"link_use", "payload and busy time of its outputs by interval"},
                      {"link_traffic", "the same by group kind and kind of connection"},
                      {"queue", "backlog of its outputs"},
                      {"power", "energy, busy and idle"},
                      {"recalled", "collectives that are simulated for what may run beside them"}};
  kind->make_spec = make_gpu_spec;
  kind->values = [](const Spec& spec) { return gpu_values(static_cast<const GpuSpec&>(spec)); };
  kind->make = [cache = std::make_shared<KernelTimesCache>(),
                timelines = std::make_shared<HostTimelineCache>()](const BuildContext& build) {
    return make_gpu(build, *cache, timelines);
  };
  return kind;
}

}  // namespace lightrail
