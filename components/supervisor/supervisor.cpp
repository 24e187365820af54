#include "components/supervisor/supervisor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.hpp"
#include "network/port/device_traits.hpp"
#include "workloads/program/groups.hpp"

namespace lightrail {
namespace {

using restart_control::Break;
using restart_control::Broken;
using restart_control::Report;

}  // namespace

Supervisor::Supervisor(const BuildContext& build)
    : model_(build.model),
      plan_(*build.model.resource<RestartPlan>()),
      book_(*build.model.resource<AddressBook>()),
      spares_(*build.model.resource<SpareServers>()),
      health_(*build.model.resource<ServerHealth>()),
      port_of_(book_.gpu_count, self_port),
      job_of_(book_.gpu_count, EndpointId::none),
      servers_of_(plan_.jobs.size()),
      jobs_(plan_.jobs.size()) {
  for (std::size_t port = 0; port < plan_.gpus.size(); ++port)
    port_of_[plan_.gpus[port].value] = static_cast<PortIndex>(port);
  for (std::uint32_t number = 0; number < plan_.jobs.size(); ++number)
    for (const EndpointId gpu : plan_.jobs[number].gpus) {
      job_of_[gpu.value] = number;
      if (servers_of_[number].empty() || servers_of_[number].back() != book_[gpu].server)
        servers_of_[number].push_back(book_[gpu].server);
    }
}

std::string Supervisor::name_of(std::uint32_t number) const {
  const std::string& name = plan_.jobs[number].name;
  return name.empty() ? "the job" : fmt::format("job '{}'", name);
}

EndpointId Supervisor::in_place_of(EndpointId gpu, const SupervisedJob& job) const {
  return job.attempt == 0 ? gpu : spares_.physical(gpu, job.decided_at);
}

std::uint32_t Supervisor::in_place_of(std::uint32_t server, const SupervisedJob& job) const {
  return job.attempt == 0 ? server : spares_.in_place_of(server, job.decided_at);
}

/// What is back before it is found was not missed.
void Supervisor::start(Context& context) {
  const SimTime notice = RestartPlan::notice, detection = plan_.stages.detection;
  for (std::uint32_t i = 0; i < health_.failures().size(); ++i) {
    const Outage& span = health_.failures()[i].span;
    if (span.up - detection <= span.down) continue;
    context.wake(span.down + detection - notice, to_payload(Timer{.kind = Wake::failure, .number = i}));
  }
}

void Supervisor::handle(const Event& event, PortIndex port, Context& context) {
  const Payload& p = event.payload;
  if (port != self_port)
    return kind_of(p) == MessageKind::broken ? on_broken(as<Broken>(p), context)
                                             : on_report(as<Report>(p), port, context);
  const auto timer = as<Timer>(p);
  if (timer.kind == Wake::failure) {
    if (is_idle_wake(event)) return context.count_as_idle();
    return on_failure(health_.failures()[timer.number], context);
  }
  if (jobs_[timer.number].attempt == timer.attempt) on_ready(timer.number, context);
}

bool Supervisor::is_idle_wake(const Event& event) const {
  return as<Timer>(event.payload).kind == Wake::failure &&
         std::all_of(jobs_.begin(), jobs_.end(), [](const SupervisedJob& job) { return job.is_over(); });
}

void Supervisor::on_failure(const ServerFailure& failure, Context& context) {
  for (std::uint32_t number = 0; number < jobs_.size(); ++number) {
    const SupervisedJob& job = jobs_[number];
    // One that has happened when the last restart was decided was counted with.
    if (job.is_over() || (job.attempt > 0 && failure.span.down <= job.decided_at)) continue;
    const auto& servers = servers_of_[number];
    if (std::none_of(servers.begin(), servers.end(),
                     [&](std::uint32_t server) { return in_place_of(server, job) == failure.server; }))
      continue;
    const bool is_gpu = role_of(model_, failure.cause) == DeviceRole::gpu;
    SupervisedJob::Restart why;
    why.cause = is_gpu ? RestartCause::gpu : RestartCause::nic;
    why.failed = failure.cause;
    why.failed_at = failure.span.down;
    stop(number, why, context);
  }
}

void Supervisor::on_broken(const Broken& broken, Context& context) {
  const std::uint32_t number = job_of_[broken.gpu.value];
  const SupervisedJob& job = jobs_[number];
  if (job.is_over() || job.attempt != broken.attempt) return;  // others have told
  SupervisedJob::Restart why;
  why.cause = broken.why == Break::connection ? RestartCause::connection : RestartCause::timeout;
  why.failed = book_.component_of[in_place_of(broken.gpu, job).value];
  why.failed_at = context.now() - RestartPlan::notice;
  stop(number, why, context);
}

void Supervisor::stop(std::uint32_t number, const SupervisedJob::Restart& why, Context& context) {
  SupervisedJob& job = jobs_[number];
  // What a failure interrupts has its row all the same.
  if (job.state == SupervisedJob::State::halted || job.state == SupervisedJob::State::beginning)
    job.record(context, number);
  if (job.attempt == RestartPlan::max_restarts)
    throw SimulationError(context.now(), model_.component_name(context.self()),
                          fmt::format("{} has been restarted {} times, as often as a run may, and {} has "
                                      "failed since",
                                      name_of(number), job.attempt, model_.component_name(why.failed)));
  tell(number, to_payload(restart_control::Halt{.attempt = static_cast<std::uint8_t>(job.attempt + 1)}),
       context);
  job.restart = why;
  job.restart.halted_at = context.now() + RestartPlan::notice;
  job.back = job.ended = 0;
  const SimTime ready = ready_at(number, job.restart);
  ++job.attempt;
  job.decided_at = job.restart.halted_at;
  if (ready == time_never) {
    job.state = SupervisedJob::State::lost;
    return job.record(context, number);
  }
  job.state = SupervisedJob::State::halted;
  job.restart.ready_at = std::max(ready, plan_.jobs[number].start);
  context.wake(
      job.restart.ready_at - RestartPlan::notice,
      to_payload(
          Timer{.kind = Wake::ready, .attempt = static_cast<std::uint8_t>(job.attempt), .number = number}));
}

SimTime Supervisor::ready_at(std::uint32_t number, SupervisedJob::Restart& restart) {
  SupervisedJob& job = jobs_[number];
  const RestartStages& stages = plan_.stages;
  SimTime until = restart.halted_at;
  for (const std::uint32_t server : servers_of_[number]) {
    const std::uint32_t before = in_place_of(server, job);
    const std::uint32_t now = spares_.in_place_of(server, restart.halted_at);
    if (before != now && restart.servers++ == 0) restart.server = before, restart.spare = now;
    const ServerFailure* failure = health_.failure_at(now, restart.halted_at);
    if (before != now || failure) job.lost_memories[server] = job.attempt + 1;
    if (!failure) continue;
    until = std::max(until, failure->span.up);
    if (failure->span.up == time_never) job.lost_to = failure->cause;
  }
  if (until == time_never) return time_never;
  if (restart.servers > 0) until = std::max(until, restart.halted_at + stages.replacement);
  const auto gpus = static_cast<std::int64_t>(plan_.jobs[number].gpus.size());
  return until + stages.rendezvous + stages.init + gpus * stages.init_per_gpu;
}

LostMemories Supervisor::lost_memories(std::uint32_t number, EndpointId gpu) const {
  const GroupView group = model_.resource<GroupTable>()->group_of(plan_.jobs[number].memory, gpu);
  LostMemories lost{0, group.size};
  for (std::uint32_t i = 0; i < group.size; ++i)
    if (jobs_[number].lost_memories.contains(book_[group.member(i)].server)) lost.members |= 1u << i;
  return lost;
}

StateSource Supervisor::find_state(std::uint32_t number) {
  SupervisedJob& job = jobs_[number];
  const RestartPlan::Job& plan = plan_.jobs[number];
  job.in_storage.parts.clear(), job.in_memory.parts.clear();
  const bool is_kept = std::none_of(plan.gpus.begin(), plan.gpus.end(), [&](EndpointId gpu) {
    return plan.memory.is_valid() && lost_memories(number, gpu).has_lost_all();
  });
  // What is left of an incomplete one is of no use.
  if (!is_kept) job.in_memory.last = -1;
  const bool from_memory = job.in_memory.last >= 0 && job.in_memory.last >= job.in_storage.last;
  job.restart.iteration = 1 + (from_memory ? job.in_memory.last : job.in_storage.last);
  if (from_memory) return StateSource::memory;
  // The job does again what memory has, and saves it again.
  job.in_memory.last = -1;
  return job.in_storage.last >= 0 ? StateSource::storage : StateSource::beginning;
}

void Supervisor::on_ready(std::uint32_t number, Context& context) {
  SupervisedJob& job = jobs_[number];
  job.state = SupervisedJob::State::beginning;
  job.restart.source = find_state(number);
  restart_control::Resume order{.attempt = static_cast<std::uint8_t>(job.attempt),
                                .source = static_cast<std::uint8_t>(job.restart.source),
                                .iteration = static_cast<std::uint32_t>(job.restart.iteration),
                                .decided_at = job.decided_at};
  for (const EndpointId gpu : plan_.jobs[number].gpus) {
    if (job.restart.source == StateSource::memory)
      order.lost = static_cast<std::uint8_t>(lost_memories(number, gpu).members);
    context.send(port_of_[in_place_of(gpu, job).value], context.now(), to_payload(order));
  }
}

/// All GPUs that are in the job's attempt.
void Supervisor::tell(std::uint32_t number, const Payload& message, Context& context) {
  for (const EndpointId gpu : plan_.jobs[number].gpus)
    context.send(port_of_[in_place_of(gpu, jobs_[number]).value], context.now(), message);
}

void Supervisor::on_report(const Report& report, PortIndex port, Context& context) {
  const std::uint32_t number = job_of_[spares_.logical(plan_.gpus[port]).value];
  SupervisedJob& job = jobs_[number];
  const auto gpus = static_cast<std::uint32_t>(plan_.jobs[number].gpus.size());
  const SimTime told = context.now() - RestartPlan::notice;
  if (report.kind == MessageKind::saved) {
    // One that ended when the job was stopped counts, until it is decided where it goes on.
    const bool is_halted = job.state == SupervisedJob::State::halted;
    if (report.attempt + (is_halted ? 1u : 0u) < job.attempt) return;
    if (report.in_memory != 0)
      job.add_in_memory(report.iteration, gpus, report.attempt);
    else
      job.in_storage.add(report.iteration, gpus);
    return;
  }
  if (report.attempt != job.attempt) return;
  if (report.kind == MessageKind::halted) {
    job.restart.reached = std::max(job.restart.reached, report.iteration);
  } else if (report.kind == MessageKind::loaded) {
    job.restart.loaded_at = std::max(job.restart.loaded_at, told);
  } else if (report.kind == MessageKind::back) {
    job.restart.back_at = std::max(job.restart.back_at, told);
    if (++job.back < gpus) return;
    job.state = SupervisedJob::State::running;
    job.record(context, number);
  } else if (report.kind == MessageKind::ended && ++job.ended == gpus) {
    job.state = SupervisedJob::State::ended;
  }
}

void Supervisor::finish(Context& context) {
  for (std::uint32_t number = 0; number < jobs_.size(); ++number) {
    const SupervisedJob::State state = jobs_[number].state;
    if (state == SupervisedJob::State::halted || state == SupervisedJob::State::beginning)
      jobs_[number].record(context, number);
  }
}

std::vector<std::string> Supervisor::waits_for() const {
  std::vector<std::string> all;
  for (std::uint32_t number = 0; number < jobs_.size(); ++number) {
    const SupervisedJob& job = jobs_[number];
    if (job.state == SupervisedJob::State::lost)
      all.push_back(fmt::format("{} has ended at {}: {} has failed for good, and no spare server is left",
                                name_of(number), format_time(job.restart.halted_at),
                                model_.component_name(job.lost_to)));
  }
  return all;
}

void Supervisor::save(StateWriter& out) const {
  for (const SupervisedJob& job : jobs_) job.save(out);
}

void Supervisor::load(StateReader& in) {
  for (SupervisedJob& job : jobs_) job.load(in);
}

std::shared_ptr<const ComponentKind> supervisor_kind() {
  auto kind = std::make_shared<ComponentKind>();
  kind->name = "supervisor";
  kind->doc = "Restarts jobs when something fails (<restart> of <faults>).";
  kind->ports = {{"i", "GPUs of jobs, then those of spare servers", "GPU"}};
  kind->statistics = {{"restarts", "what failed, when jobs were stopped and went on"}};
  bind_spec(*kind, Describe<SupervisorSpec>());
  kind->make = [](const BuildContext& build) { return std::make_unique<Supervisor>(build); };
  return kind;
}

}  // namespace lightrail
