#include "components/scheduler/scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "components/scheduler/queue_state.hpp"
#include "components/scheduler/tables.hpp"

namespace lightrail {

using namespace serving_control;
static_assert(KvMove::max_bytes == ServingPlan::max_kv_move);

namespace {

const ServingPlan& plan_of(const BuildContext& build) {
  const auto* plan = build.model.resource<ServingPlan>();
  if (!plan)
    throw InputErrors(InputError{
        "", 0,
        build.model.component_name(build.id) + ": a scheduler belongs to a <workload kind=\"inference\">"});
  return *plan;
}

}  // namespace

Scheduler::Scheduler(const BuildContext& build)
    : model_(build.model),
      spec_(static_cast<const SchedulerSpec&>(build.spec)),
      plan_(plan_of(build)),
      output_(build.model.resource<OutputSelection>()),
      book_(*build.model.resource<AddressBook>()),
      requests_(plan_.requests.size()) {
  for (const ServingPool& pool : plan_.pools)
    for (std::uint32_t i = 0; i < pool.replicas; ++i) replicas_.emplace_back(plan_, pool, i);
  deciding_.assign(replicas_.size(), 0);
}

void Scheduler::start(Context& context) {
  if (!plan_.requests.empty())
    context.wake(plan_.requests[0].arrival, to_payload(Timer{.kind = Wake::arrival}));
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
  if (port == self_port) return on_timer(as<Timer>(p), context);
  if (kind_of(p) == MessageKind::batch_done)
    return on_batch_done(context, replica_of_port(port), as<BatchDone>(p).number);
  if (kind_of(p) == MessageKind::kv_done) return on_kv_done(context, as<KvDone>(p).request);
  if (kind_of(p) == MessageKind::prompt_done) return on_prompt_done(context, as<PromptDone>(p));
  if (kind_of(p) == MessageKind::tokens_done) return on_tokens_done(context, as<TokensDone>(p));
  throw SimulationError(context.now(), model_.component_name(context.self()),
                        fmt::format("{} on port {}; a scheduler takes no such message", unexpected(p), port));
}

void Scheduler::on_timer(const Timer& timer, Context& context) {
  switch (timer.kind) {
    case Wake::arrival:
      return on_arrival(context);
    case Wake::decide:
      return decide(context, timer.replica);
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
    replicas_[best].await(arrived_);
    if (book_.gateway_count > 0) {
      fetch_prompt(context, arrived_);
    } else {
      replicas_[best].enqueue(arrived_);
      poke(context, best);
    }
    ++arrived_;
  }
  if (arrived_ < plan_.requests.size())
    context.wake(plan_.requests[arrived_].arrival, to_payload(Timer{.kind = Wake::arrival}));
}

void Scheduler::poke(Context& context, std::uint32_t replica) {
  if (deciding_[replica] || !replicas_[replica].can_take_batch()) return;
  deciding_[replica] = 1;
  context.wake(context.now() + spec_.decision, to_payload(Timer{.kind = Wake::decide, .replica = replica}));
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
                 to_payload(Prefill{.tokens = sizes.prefill_tokens,
                                    .twice_keys = sizes.twice_prefill_keys,
                                    .sequences = sizes.prefill_sequences}));
    context.send(
        port, context.now(),
        to_payload(
            Decode{.sequences = sizes.decode_sequences, .keys = sizes.decode_keys, .logits = sizes.logits}));
    context.send(port, context.now(), to_payload(Go{.number = sizes.number}));
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
  if (book_.gateway_count > 0) send_tokens(context, replica, batch);
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
      LIGHTRAIL_EXPECT(bytes <= KvMove::max_bytes);
      KvMove move{.kind = MessageKind::kv_send,
                  .units = static_cast<std::uint32_t>((bytes + KvMove::unit - 1) / KvMove::unit),
                  .gpu = route.to.value,
                  .request = request};
      state.kv_bytes += move.units * KvMove::unit;
      ++state.open_transfers;
      context.send(static_cast<PortIndex>(route.from.value), context.now(), to_payload(move));
      move.kind = MessageKind::kv_receive, move.gpu = route.from.value;
      context.send(static_cast<PortIndex>(route.to.value), context.now(), to_payload(move));
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
  requests_[index].end = context.now();
  if (book_.gateway_count == 0) record_request(context, index);
}

void Scheduler::record_request(Context& context, std::uint32_t index) {
  const RequestState& state = requests_[index];
  const ServingRequest& request = plan_.requests[index];
  ++ended_;
  const std::array<std::int64_t, 14> row{index,
                                         request.arrival.count(),
                                         state.start.count(),
                                         state.first.count(),
                                         state.end.count(),
                                         request.prompt,
                                         request.output,
                                         state.replica,
                                         state.decode_replica,
                                         state.kv_bytes,
                                         book_.gateway_count > 0 ? std::int64_t{gateway_of(index)} : -1,
                                         state.prompt_in.count(),
                                         state.first_at_user.count(),
                                         state.last_at_user.count()};
  context.record(tables::requests, row);
}

std::vector<std::string> Scheduler::waits_for() const {
  if (ended_ == plan_.requests.size()) return {};
  std::vector<std::string> all{fmt::format("{} of {} requests have ended", ended_, plan_.requests.size())};
  for (std::uint32_t r = 0; r < requests_.size() && all.size() < 4; ++r)
    if (requests_[r].open_transfers > 0)
      all.push_back(
          fmt::format("request {}: {} GPUs wait for its keys and values", r, requests_[r].open_transfers));
  for (std::uint32_t r = 0; r < arrived_ && book_.gateway_count > 0 && all.size() < 4; ++r)
    if (requests_[r].prompt_in < SimTime{0})
      all.push_back(fmt::format("request {}: its prompt has not come in", r));
  return all;
}

void Scheduler::save(StateWriter& out) const {
  for (const Replica& replica : replicas_) replica.save(out);
  out.put(requests_), out.put(deciding_);
  put_queue(out, prefilled_);
  out.put(arrived_), out.put(ended_), out.put(on_the_way_), out.put(next_message_);
}

void Scheduler::load(StateReader& in) {
  for (Replica& replica : replicas_) replica.load(in);
  in.get(requests_), in.get(deciding_);
  get_queue(in, prefilled_);
  in.get(arrived_), in.get(ended_), in.get(on_the_way_), in.get(next_message_);
}

}  // namespace lightrail
