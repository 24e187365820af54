#include "workloads/collective/comm_engine.hpp"

#include <fmt/format.h>

#include <cmath>

#include "workloads/collective/cost_model.hpp"
#include "workloads/collective/ring.hpp"
#include "workloads/program/phase.hpp"

namespace lightrail {

CommEngine::CommEngine(const Model& model, const Program& program, const ProgramIndex& index, EndpointId self)
    : model_(&model),
      program_(&program),
      index_(&index),
      set_(model.resource<ProgramSet>()),
      groups_(model.resource<GroupTable>()),
      plans_(model.resource<GroupPlans>()),
      book_(model.resource<AddressBook>()),
      nccl_(model.resource<NcclSettings>()),
      io_(model.resource<IoEndpoints>()),
      self_(self) {
  LIGHTRAIL_EXPECT(set_ && groups_ && plans_ && book_ && nccl_ && io_);
}

EndpointId CommEngine::peer_of(const Op& op) const {
  const GroupView group = view(op);
  if (op.peer_mode == PeerMode::index) return group.member(static_cast<std::uint32_t>(op.peer));
  const auto size = static_cast<std::int64_t>(group.size);
  return group.member(
      static_cast<std::uint32_t>(((std::int64_t{group.my_index} + op.peer) % size + size) % size));
}

EndpointId CommEngine::io_peer(const Op& op) const {
  return op.kind == OpKind::host_copy ? io_->host_of((*book_)[self_].server)
                                      : io_->storage[static_cast<std::size_t>(op.peer)];
}

Connection CommEngine::connection(const Op& op, Phase phase, std::uint32_t channel) const {
  return Connection::make(op.group.value, channel, static_cast<std::uint32_t>(phase));
}

Connection CommEngine::io_connection(std::uint32_t op, Phase phase) const {
  const std::uint32_t ordinal = index_->io_ordinal[op];
  return Connection::make(ordinal >> 8, ordinal & 0xff, static_cast<std::uint32_t>(phase));
}

std::uint32_t CommEngine::start(Context& context, Transport& transport, std::uint32_t op_index) {
  const Op& op = program_->ops[op_index];
  if (op.kind == OpKind::collective && view(op).size <= 1) return no_slot;
  std::uint32_t slot = static_cast<std::uint32_t>(runs_.size());
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
  SimTime delay{0};
  if (op.kind == OpKind::collective) {
    const Choice choice = choose(*nccl_, plan(op), op);
    run.algorithm = choice.algorithm;
    run.protocol = choice.protocol;
    delay = start_delay(op, run);
  } else if (op.kind == OpKind::send || op.kind == OpKind::recv) {
    run.algorithm = Algorithm::direct;
    run.protocol = nccl(op).point_protocol(op.bytes);
    delay = nccl(op).point_base(run.protocol);
  }
  transport.wake_after(context, delay, {slot, 0});
  return slot;
}

CommEngine::Form CommEngine::form(std::uint32_t slot) const {
  const Op& op = op_of(slot);
  if (op.kind == OpKind::send || op.kind == OpKind::recv) return Form::point;
  if (op.kind != OpKind::collective) return Form::io;
  if (is_exchange(runs_[slot].algorithm)) return Form::exchange;
  if (op.collective == CollectiveType::broadcast) return Form::broadcast;
  if (op.collective == CollectiveType::all_to_all) return Form::pairs;
  if (op.collective == CollectiveType::barrier) return Form::barrier;
  if (runs_[slot].algorithm != Algorithm::ring) return Form::relay;
  // Members of one NVSwitch: whom a step goes to makes no difference to the lines that it takes.
  const GroupPlan& group = plan(op);
  const bool is_folded =
      nccl(op).fold_rings && group.has_nvlink && group.has_equal_nvlink && group.servers() == 1;
  return is_folded ? Form::folded_ring : Form::ring;
}

SimTime CommEngine::start_delay(const Op& op, const CommRun& run) const {
  switch (run.algorithm) {
    case Algorithm::tree:
    case Algorithm::collnet:
      return nccl(op).tree_base(run.protocol);
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
      return nccl(op).nvls;
    case Algorithm::pat:
      return nccl(op).pat_base;
    case Algorithm::deepep:
    case Algorithm::deepep_low_latency:
      return nccl(op).deepep_start;
    case Algorithm::full_mesh:
      return nccl(op).point_base(run.protocol);
    default:
      return op.collective == CollectiveType::all_to_all
                 ? nccl(op).point_base(run.protocol)
                 : scaled(nccl(op).base(run.protocol),
                          ring_scale(nccl(op), plan(op), op.collective, run.protocol, op.bytes));
  }
}

BitRate CommEngine::rate(std::uint32_t slot) const {
  const Op& op = op_of(slot);
  const GroupPlan& group = plan(op);
  const std::uint32_t n = group.size(), here = group.members_of(group.server_of(group.index_of(self_)));
  const double local = static_cast<double>(group.local_rate.value),
               rail = static_cast<double>(group.net_rate.value);
  double most = local;
  if (form(slot) == Form::point) {
    if (group.server_of(group.index_of(peer_of(op))) != group.server_of(group.index_of(self_))) most = rail;
    return BitRate{static_cast<std::int64_t>(most)};
  }
  if (op.bytes == 0) return BitRate{0};
  const double buffer = 8.0 * static_cast<double>(op.bytes);
  const double start = 1e-12 * static_cast<double>(start_delay(op, runs_[slot]).count());
  if (runs_[slot].algorithm == Algorithm::nvls || runs_[slot].algorithm == Algorithm::nvls_tree) {
    // What the switch takes is read and what it gives is written, of an all-reduce the buffer and the buffer,
    // of parts a part and the buffer; what is summed for an all-reduce goes out again from registers.
    const double moved = op.collective == CollectiveType::all_reduce ? 2 : 1 + 1.0 / n;
    return BitRate{
        static_cast<std::int64_t>(moved / 2 * buffer / (buffer / nvls_rate(group, op.collective) + start))};
  }
  if (group.servers() > 1) {
    // Rings bring what passes the server's rails past every member; an all-to-all's shares come from outside
    // but for the server's own.
    most = rail * (op.collective == CollectiveType::all_to_all ? static_cast<double>(n) / (n - here) : here);
    if (here > 1 && local > 0) most = std::min(most, local);
  }
  const double bits = buffer * (op.collective == CollectiveType::all_reduce ? 2 : 1);
  if (most == 0) return BitRate{0};
  return BitRate{static_cast<std::int64_t>(bits / (bits / most + start))};
}

bool CommEngine::on_timer(Context& context, Transport& transport, Owner owner) {
  const std::uint32_t slot = owner.slot;
  if (runs_[slot].stage == CommRun::Stage::finishing) return true;
  const Op& op = op_of(slot);
  if (runs_[slot].stage == CommRun::Stage::starting && op.collective == CollectiveType::all_to_all &&
      transport.wants_demand(op.dimension)) {
    runs_[slot].stage = CommRun::Stage::waiting;
    if (!transport.start_exchange(context, demand(op), owner)) return false;
  }
  runs_[slot].stage = CommRun::Stage::running;
  if (op.bytes == 0 && op.collective != CollectiveType::barrier) return true;
  switch (form(slot)) {
    case Form::broadcast:
      begin_broadcast(context, transport, slot);
      break;
    case Form::pairs:
      begin_all_to_all(context, transport, slot);
      break;
    case Form::barrier:
      begin_barrier(context, transport, slot);
      break;
    case Form::ring:
      begin_ring(context, transport, slot);
      break;
    case Form::folded_ring:
      begin_folded(context, transport, slot);
      break;
    case Form::relay:
      begin_relay(context, transport, slot);
      break;
    case Form::exchange:
      begin_exchange(context, transport, slot);
      break;
    case Form::point:
      begin_point(context, transport, slot);
      break;
    case Form::io:
      begin_io(context, transport, slot);
      break;
  }
  return finish(context, transport, slot);
}

bool CommEngine::on_received(Context& context, Transport& transport, Owner owner) {
  switch (form(owner.slot)) {
    case Form::broadcast:
      on_slice(context, transport, owner);
      break;
    case Form::pairs:
      on_share(context, transport, owner);
      break;
    case Form::barrier:
      on_barrier(context, transport, owner.slot);
      break;
    case Form::ring:
      on_block(context, transport, owner);
      break;
    case Form::folded_ring:
      runs_[owner.slot].open = 0;
      break;
    case Form::relay:
      on_relay(context, transport, owner);
      break;
    case Form::exchange:
      on_exchange(context, transport, owner);
      break;
    case Form::point:
      on_point(context, transport, owner);
      break;
    case Form::io:
      on_io(context, transport, owner);
      break;
  }
  return finish(context, transport, owner.slot);
}

bool CommEngine::finish(Context& context, Transport& transport, std::uint32_t slot) {
  CommRun& run = runs_[slot];
  if (run.open != 0) return false;
  SimTime left = std::max(run.until - context.now(), SimTime{0});
  if (form(slot) == Form::ring) left += own_copy(op_of(slot));
  if (left == SimTime{0}) return true;
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

void CommEngine::release(std::uint32_t slot) {
  LIGHTRAIL_EXPECT(runs_[slot].stage != CommRun::Stage::free);
  runs_[slot].stage = CommRun::Stage::free;
  if (exchanges_.size() > slot) exchanges_[slot].reset();
  free_.push_back(slot);
}

void CommEngine::save(StateWriter& out) const {
  out.put(runs_.size());
  for (const CommRun& run : runs_) run.save(out);
  out.put(free_);
}

void CommEngine::load(StateReader& in) {
  std::size_t count = 0;
  in.get(count);
  runs_.assign(count, CommRun{});
  for (CommRun& run : runs_) run.load(in);
  in.get(free_);
}

}  // namespace lightrail
