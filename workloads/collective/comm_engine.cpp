#include "workloads/collective/comm_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "engine/base/error.hpp"
#include "engine/base/hash.hpp"
#include "engine/base/random.hpp"
#include "network/wire/phase.hpp"
#include "workloads/collective/cost_model.hpp"
#include "workloads/collective/overloaded.hpp"

namespace lightrail {
CommEngine::CommEngine(const Model& model, const Program& program, const ProgramIndex& index, EndpointId self)
    : model_(&model),
      program_(&program),
      index_(&index),
      set_(model.resource<ProgramSet>()),
      groups_(model.resource<GroupTable>()),
      plans_(model.resource<GroupPlans>()),
      algorithms_(model.resource<AlgorithmRegistry>()),
      book_(model.resource<AddressBook>()),
      nccl_(model.resource<NcclSettings>()),
      io_(model.resource<IoEndpoints>()),
      formula_(model.resource<FormulaDetail>()),
      recall_(model.resource<RecallPlan>()),
      self_(self) {
  LIGHTRAIL_EXPECT(set_ && groups_ && plans_ && algorithms_ && book_ && nccl_ && io_);
  if (recall_) started_.resize(groups_->kind_count());
  for (const LinkClass& link : model.link_classes)
    if (link.medium != "nvlink")
      net_train_bytes_ = std::max(net_train_bytes_, std::int64_t{link.grain} * link.mtu_bytes);
}

EndpointId CommEngine::io_peer(const Op& op) const {
  return op.kind == OpKind::host_copy
             ? io_->host_of((*book_)[self_].server)
             : io_->storage[storage_server_of(
                   op, self_, {static_cast<std::uint32_t>(io_->storage.size()), book_->frontend_storage})];
}

Connection CommEngine::connection(const Op& op, Phase phase, std::uint32_t channel) const {
  return Connection::make(op.group.value, channel, static_cast<std::uint32_t>(phase));
}

Connection CommEngine::io_connection(std::uint32_t op, Phase phase) const {
  const std::uint32_t ordinal = index_->io_ordinal[op];
  return Connection::make(ordinal >> 8, ordinal & 0xff, static_cast<std::uint32_t>(phase));
}

/// A function of the time at which the program comes to the collective: no state. In whole nanoseconds, which
/// hide the last bits of libm.
SimTime CommEngine::start_skew(SimTime now) const {
  if (nccl_->start_skew == SimTime{0}) return SimTime{0};
  constexpr std::uint32_t purpose = 0x736b6577;
  Random random(hash_combine(model_->seed, static_cast<std::uint64_t>(now.count())), ComponentId{self_.value},
                purpose);
  const double mean_ns = static_cast<double>(nccl_->start_skew.count()) * 1e-3;
  return nanoseconds(std::llround(random.exponential(mean_ns)));
}

std::uint32_t CommEngine::start(Context& context, Transport& transport, std::uint32_t op_index,
                                std::uint32_t iteration) {
  const Op& op = program_->ops[op_index];
  if (op.kind == OpKind::collective && view(op).size <= 1) return no_slot;
  auto slot = static_cast<std::uint32_t>(runs_.size());
  if (free_.empty()) {
    runs_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  CommRun& run = runs_[slot];
  run = CommRun{};
  run.op = op_index;
  run.stage = CommRun::Stage::starting;
  run.start = context.now();
  SimTime delay{0}, skew{0};
  if (op.kind == OpKind::collective) {
    const Choice choice = choose(*algorithms_, *nccl_, plan(op), op);
    run.algorithm = choice.algorithm;
    run.protocol = choice.protocol;
    skew = start_skew(context.now());
    delay = (*algorithms_)[run.algorithm].start_delay(plan(op), op, run.protocol) + skew;
  } else if (op.kind == OpKind::send || op.kind == OpKind::recv) {
    run.protocol = op.protocol == Protocol::bare ? op.protocol : nccl(op).point_protocol(op.bytes);
    delay = point_start(op, run.protocol);
  } else {
    delay = op.duration;
  }
  if (formula_ && !is_io(op.kind) && formula_->takes(op.group, iteration)) {
    meet(context, transport, slot, skew);
    return slot;
  }
  transport.wake_after(context, delay, {slot, 0});
  if (recall_ && op.kind == OpKind::collective) tell_start(context, transport, slot, delay);
  return slot;
}

const CollectivePlan& CommEngine::collective_plan(std::uint32_t slot) const {
  if (collective_plans_.size() <= slot) collective_plans_.resize(slot + 1);
  std::optional<CollectivePlan>& made = collective_plans_[slot];
  if (!made) {
    const CommRun& run = runs_[slot];
    const Op& op = op_of(slot);
    const GroupView group = view(op);
    made = (*algorithms_)[run.algorithm].plan(
        {plan(op), group, op, run.protocol,
         [&](std::uint32_t from, std::uint32_t to) { return share(op, from, to, group.size); }});
  }
  return *made;
}

bool CommEngine::leaves_server(const Op& op) const {
  if (op.kind == OpKind::collective) return plan(op).servers() > 1;
  return op.kind == OpKind::send && (*book_)[peer_of(op)].server != (*book_)[self_].server;
}

BitRate CommEngine::rate(std::uint32_t slot) const {
  const Op& op = op_of(slot);
  const GroupPlan& group = plan(op);
  if (is_collective(slot)) {
    if (op.bytes == 0) return BitRate{0};
    return (*algorithms_)[runs_[slot].algorithm].receive_rate(group, self_, op, runs_[slot].protocol);
  }
  const bool is_far = group.server_of(group.index_of(peer_of(op))) != group.server_of(group.index_of(self_));
  return is_far ? group.net_rate : group.local_rate;
}

std::uint32_t CommEngine::sms(std::uint32_t slot) const {
  return is_collective(slot) ? (*algorithms_)[runs_[slot].algorithm].sms(plan(op_of(slot))) : 0;
}

bool CommEngine::on_timer(Context& context, Transport& transport, Owner owner) {
  const std::uint32_t slot = owner.slot;
  if (runs_[slot].stage == CommRun::Stage::finishing) return true;
  if (runs_[slot].stage == CommRun::Stage::recalled) return on_recall_timer(context, transport, owner);
  const Op& op = op_of(slot);
  if (runs_[slot].stage == CommRun::Stage::starting && op.collective == CollectiveType::all_to_all &&
      transport.wants_demand(op.dimension)) {
    runs_[slot].stage = CommRun::Stage::waiting;
    if (!transport.start_exchange(context, demand(op), owner)) return false;
  }
  runs_[slot].stage = CommRun::Stage::running;
  if (op.bytes == 0 && op.collective != CollectiveType::barrier) return true;
  switch (op.kind) {
    case OpKind::collective:
      begin_collective(context, transport, slot);
      break;
    case OpKind::send:
    case OpKind::recv:
      begin_point(context, transport, slot);
      break;
    case OpKind::storage_read:
    case OpKind::storage_write:
    case OpKind::host_copy:
      begin_io(context, transport, slot);
      break;
    case OpKind::compute:
    case OpKind::host:
    case OpKind::marker:
      LIGHTRAIL_EXPECT(!"an operation of communication");
  }
  return finish(context, transport, slot);
}

bool CommEngine::on_received(Context& context, Transport& transport, Owner owner) {
  switch (op_of(owner.slot).kind) {
    case OpKind::collective:
      on_message(context, transport, owner);
      break;
    case OpKind::send:
    case OpKind::recv:
      on_point(context, transport, owner);
      break;
    case OpKind::storage_read:
    case OpKind::storage_write:
    case OpKind::host_copy:
      on_io(context, transport, owner);
      break;
    case OpKind::compute:
    case OpKind::host:
    case OpKind::marker:
      LIGHTRAIL_EXPECT(!"an operation of communication");
  }
  return finish(context, transport, owner.slot);
}

void CommEngine::begin_collective(Context& context, Transport& transport, std::uint32_t slot) {
  std::visit(Overloaded{[&](const RingSteps&) { begin_ring(context, transport, slot); },
                        [&](const FoldedRing&) { begin_folded(context, transport, slot); },
                        [&](const RingStream&) { begin_broadcast(context, transport, slot); },
                        [&](const PeerMessages&) { begin_all_to_all(context, transport, slot); },
                        [&](const Dissemination&) { begin_barrier(context, transport, slot); },
                        [&](const RelayPlan&) { begin_relay(context, transport, slot); },
                        [&](const ExchangePlan&) { begin_exchange(context, transport, slot); }},
             collective_plan(slot));
}

void CommEngine::on_message(Context& context, Transport& transport, Owner owner) {
  std::visit(Overloaded{[&](const RingSteps&) { on_block(context, transport, owner); },
                        [&](const FoldedRing&) { runs_[owner.slot].open = 0; },
                        [&](const RingStream&) { on_slice(context, transport, owner); },
                        [&](const PeerMessages&) { on_share(context, transport, owner); },
                        [&](const Dissemination&) { on_barrier(context, transport, owner.slot); },
                        [&](const RelayPlan&) { on_relay(context, transport, owner); },
                        [&](const ExchangePlan&) { on_exchange(context, transport, owner); }},
             collective_plan(owner.slot));
}

bool CommEngine::finish(Context& context, Transport& transport, std::uint32_t slot) {
  CommRun& run = runs_[slot];
  if (run.open != 0) return false;
  const SimTime left = run.until - context.now();
  if (left <= SimTime{0}) return true;
  run.stage = CommRun::Stage::finishing;
  transport.wake_after(context, left, {slot, 0});
  return false;
}

bool CommEngine::on_end(Context& context, Transport& transport, const MessageEnd& end) {
  CommRun& run = runs_[end.owner.slot];
  LIGHTRAIL_EXPECT(run.stage == CommRun::Stage::running && run.open > 0);
  if (end.owner.sub < run.counts.size()) {
    CommRun::Count& count = run.counts[end.owner.sub];
    if (end.is_sent)
      count.sent |= is_sent;
    else
      ++count.received;
  }
  run.until = std::max(run.until, end.at);
  --run.open;
  return finish(context, transport, end.owner.slot);
}

SimTime CommEngine::ready_at(std::uint32_t slot) const {
  const CommRun& run = runs_[slot];
  const Op& op = op_of(slot);
  return op.bytes == 0 ? time_never : run.start + point_start(op, run.protocol);
}

void CommEngine::release(std::uint32_t slot) {
  LIGHTRAIL_EXPECT(runs_[slot].stage != CommRun::Stage::free);
  runs_[slot].stage = CommRun::Stage::free;
  if (collective_plans_.size() > slot) collective_plans_[slot].reset();
  free_.push_back(slot);
}

void CommEngine::save(StateWriter& out) const {
  out.put(runs_.size());
  for (const CommRun& run : runs_) run.save(out);
  out.put(free_), out.put(started_);
}

void CommEngine::load(StateReader& in) {
  std::size_t count = 0;
  in.get(count);
  runs_.assign(count, CommRun{});
  for (CommRun& run : runs_) run.load(in);
  in.get(free_), in.get(started_);
}

}  // namespace lightrail
