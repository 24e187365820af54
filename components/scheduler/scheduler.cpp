#include "components/scheduler/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "components/scheduler/queue_state.hpp"
#include "engine/model/serving_tables.hpp"
#include "network/wire/serving_control.hpp"

namespace lightrail {
namespace {

const ServingPlan& plan_of(const BuildContext& build) {
  const auto* plan = build.model.resource<ServingPlan>();
  if (!plan)
    throw InputErrors(InputError{
        "", 0,
        build.model.component_name(build.id) + ": a scheduler belongs to a <workload kind=\"inference\">"});
  return *plan;
}

Payload wake_of(std::uint8_t what, std::uint32_t replica) {
  Payload p;
  p.kind = what;
  p.a = replica;
  return p;
}

}  // namespace

Scheduler::Scheduler(const BuildContext& build)
    : model_(build.model),
      spec_(static_cast<const SchedulerSpec&>(build.spec)),
      plan_(plan_of(build)),
      output_(build.model.resource<OutputSelection>()),
      requests_(plan_.requests.size()) {
  for (const ServingPool& pool : plan_.pools)
    for (std::uint32_t i = 0; i < pool.replicas; ++i) replicas_.emplace_back(plan_, pool, i);
  deciding_.assign(replicas_.size(), 0);
}

void Scheduler::start(Context& context) {
  if (!plan_.requests.empty()) context.wake(plan_.requests[0].arrival, wake_of(wake_arrival, 0));
}

std::uint32_t Scheduler::replica_of_port(PortIndex port) const {
  std::uint32_t before = 0;
  for (const ServingPool& pool : plan_.pools) {
    if (port < pool.first_gpu + pool.gpus()) return before + (port - pool.first_gpu) / pool.replica_gpus();
    before += pool.replicas;
  }
  return before;
}

void Scheduler::handle(const Event& event, PortIndex port, Context& context) {
  const Payload& p = event.payload;
  if (port == self_port) return p.kind == wake_arrival ? on_arrival(context) : decide(context, p.a);
  switch (serving_kind_of(p)) {
    case ServingKind::batch_done:
      return on_batch_done(context, replica_of_port(port), p.b);
    case ServingKind::kv_done:
      return on_kv_done(context, p.b);
    default:
      throw SimulationError(
          context.now(), model_.component_name(context.self()),
          fmt::format("a message of kind {} came in, which is none for a scheduler", p.kind));
  }
}

/// Of replicas with equally little work, the first.
void Scheduler::on_arrival(Context& context) {
  while (arrived_ < plan_.requests.size() && plan_.requests[arrived_].arrival <= context.now()) {
    std::uint32_t best = 0xffffffff;
    for (std::uint32_t r = 0; r < replicas_.size(); ++r)
      if (replicas_[r].pool().prefills &&
          (best == 0xffffffff || replicas_[r].load() < replicas_[best].load()))
        best = r;
    requests_[arrived_].replica = requests_[arrived_].decode_replica = best;
    replicas_[best].enqueue(arrived_++);
    poke(context, best);
  }
  if (arrived_ < plan_.requests.size())
    context.wake(plan_.requests[arrived_].arrival, wake_of(wake_arrival, 0));
}

void Scheduler::poke(Context& context, std::uint32_t replica) {
  if (deciding_[replica] || !replicas_[replica].can_take_batch()) return;
  deciding_[replica] = 1;
  context.wake(context.now() + spec_.decision, wake_of(wake_decide, replica));
}

void Scheduler::decide(Context& context, std::uint32_t replica) {
  deciding_[replica] = 0;
  const Batch* batch = replicas_[replica].make_batch(context.now(), requests_);
  if (!batch) return;
  send_batch(context, replicas_[replica], *batch);
  poke(context, replica);
}

void Scheduler::send_batch(Context& context, const Replica& replica, const Batch& batch) {
  const BatchSizes sizes = replica.share(batch, requests_);
  for (std::uint32_t i = 0; i < replica.pool().replica_gpus(); ++i) {
    const auto port = static_cast<PortIndex>(replica.gpu(i).value);
    context.send(port, context.now(),
                 serving_payload(ServingKind::prefill, sizes.prefill_tokens, sizes.twice_prefill_keys,
                                 sizes.prefill_sequences));
    context.send(
        port, context.now(),
        serving_payload(ServingKind::decode, sizes.decode_sequences, sizes.decode_keys, sizes.logits));
    context.send(port, context.now(), serving_payload(ServingKind::go, 0, 0, sizes.number));
  }
}

void Scheduler::on_batch_done(Context& context, std::uint32_t index, std::uint32_t number) {
  Replica& replica = replicas_[index];
  Batch batch;
  if (!replica.report(number, batch)) return;
  if (output_ && output_->is_recorded(tables::batches)) {
    const std::array<std::int64_t, 8> row{index,
                                          batch.number,
                                          batch.start.count(),
                                          context.now().count(),
                                          batch.prefill_tokens,
                                          batch.decode_sequences,
                                          batch.kv_tokens,
                                          static_cast<std::int64_t>(replica.waiting())};
    context.record_at(batch.start, tables::batches, row);
  }
  for (const Batch::Part& part : batch.parts) {
    RequestState& state = requests_[part.request];
    const ServingRequest& request = plan_.requests[part.request];
    state.is_in_batch = 0;
    state.prefilled += part.tokens;
    if (state.prefilled < request.prompt) continue;
    if (state.generated++ == 0) state.first = context.now();
    if (state.generated == request.output) {
      replica.leave(part.request);
      end_request(context, part.request);
    } else if (!replica.pool().decodes) {
      replica.park(part.request);
      prefilled_.push_back(part.request);
    }
  }
  move_prefilled(context);
  poke(context, index);
}

/// In the order in which they were prefilled; of decoding replicas that have room, the one with most.
void Scheduler::move_prefilled(Context& context) {
  while (!prefilled_.empty()) {
    const std::uint32_t request = prefilled_.front();
    std::uint32_t best = 0xffffffff;
    for (std::uint32_t r = 0; r < replicas_.size(); ++r) {
      const Replica& replica = replicas_[r];
      if (replica.pool().prefills || !replica.has_place() || replica.kv_free() < replica.room(request))
        continue;
      if (best == 0xffffffff || replica.kv_free() > replicas_[best].kv_free()) best = r;
    }
    if (best == 0xffffffff) return;
    prefilled_.pop_front();
    replicas_[best].reserve(request);
    RequestState& state = requests_[request];
    state.decode_replica = best;
    const Replica &from = replicas_[state.replica], &to = replicas_[best];
    for (const KvRoute& route : kv_routes(plan_, from.pool(), from.index(), to.pool(), to.index(), request)) {
      const std::int64_t bytes = route.bytes_per_token * plan_.requests[request].prompt;
      const std::int64_t units = (bytes + kv_unit - 1) / kv_unit;
      state.kv_bytes += units * kv_unit;
      ++state.open_transfers;
      context.send(static_cast<PortIndex>(route.from.value), context.now(),
                   serving_payload(ServingKind::kv_send, units, route.to.value, request));
      context.send(static_cast<PortIndex>(route.to.value), context.now(),
                   serving_payload(ServingKind::kv_receive, units, route.from.value, request));
    }
  }
}

void Scheduler::on_kv_done(Context& context, std::uint32_t request) {
  RequestState& state = requests_[request];
  if (--state.open_transfers > 0) return;
  replicas_[state.replica].leave(request);
  replicas_[state.decode_replica].join(request);
  poke(context, state.replica);
  poke(context, state.decode_replica);
}

void Scheduler::end_request(Context& context, std::uint32_t index) {
  const RequestState& state = requests_[index];
  const ServingRequest& request = plan_.requests[index];
  ++ended_;
  const std::array<std::int64_t, 10> row{index,
                                         request.arrival.count(),
                                         state.start.count(),
                                         state.first.count(),
                                         context.now().count(),
                                         request.prompt,
                                         request.output,
                                         state.replica,
                                         state.decode_replica,
                                         state.kv_bytes};
  context.record(tables::requests, row);
}

std::vector<std::string> Scheduler::waits_for() const {
  if (ended_ == plan_.requests.size()) return {};
  std::vector<std::string> all{fmt::format("{} of {} requests have ended", ended_, plan_.requests.size())};
  for (std::uint32_t r = 0; r < requests_.size() && all.size() < 4; ++r)
    if (requests_[r].open_transfers > 0)
      all.push_back(
          fmt::format("request {}: {} GPUs wait for its keys and values", r, requests_[r].open_transfers));
  return all;
}

void Scheduler::save(StateWriter& out) const {
  for (const Replica& replica : replicas_) replica.save(out);
  out.put(requests_), out.put(deciding_);
  put_queue(out, prefilled_);
  out.put(arrived_), out.put(ended_);
}

void Scheduler::load(StateReader& in) {
  for (Replica& replica : replicas_) replica.load(in);
  in.get(requests_), in.get(deciding_);
  get_queue(in, prefilled_);
  in.get(arrived_), in.get(ended_);
}

}  // namespace lightrail
