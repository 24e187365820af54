#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/wire/phase.hpp"
#include "workloads/collective/comm_engine.hpp"
#include "workloads/collective/exchange_share.hpp"
#include "workloads/collective/pair_order.hpp"
#include "workloads/collective/ring.hpp"

namespace lightrail {

std::int64_t CommEngine::share(const Op& op, std::uint32_t from, std::uint32_t to, std::uint32_t size) const {
  return exchange_share(*set_, op, from, to, size);
}

std::vector<PeerBytes> CommEngine::demand(const Op& op) const {
  const GroupView group = view(op);
  std::vector<PeerBytes> all;
  for (std::uint32_t m = 0; m < group.size; ++m)
    if (m != group.my_index) all.push_back({group.member(m), share(op, group.my_index, m, group.size)});
  return all;
}

void CommEngine::announce_next(Context& context, Transport& transport, std::uint32_t op_index) {
  const Op& done = program_->ops[op_index];
  if (done.collective != CollectiveType::all_to_all || !transport.wants_demand(done.dimension)) return;
  for (std::uint32_t i = op_index + 1; i < program_->ops.size(); ++i) {
    const Op& op = program_->ops[i];
    if (op.kind != OpKind::collective || op.collective != CollectiveType::all_to_all ||
        op.group != done.group)
      continue;
    if (op.every > 1) return;  // it may not take place
    if (op.root == known_before || !transport.predicts_from_history())
      return transport.announce_ahead(context, demand(op), op.root == known_before);
    if (op.root < expects_split) return;  // nothing is known yet
    Op expected = op;
    expected.split = static_cast<std::uint16_t>(op.root - expects_split);
    return transport.announce_ahead(context, demand(expected), false);
  }
}

void CommEngine::begin_all_to_all(Context& context, Transport& transport, std::uint32_t slot) {
  const Op& op = op_of(slot);
  const GroupView group = view(op);
  const std::uint32_t n = group.size, me = group.my_index;
  CommRun& run = runs_[slot];
  run.counts.assign(n, {});
  const GroupPlan& group_plan = plan(op);
  const std::uint32_t mine = group_plan.index_of(self_);
  const auto group_index = [&](std::uint32_t at) { return index_in_group(op, group_plan.members[at]); };
  for (const std::uint32_t at : pair_order(group_plan, mine, true)) {
    const std::uint32_t sender = group_index(at), d = (me + n - sender) % n;
    const EndpointId from = group.member(sender);
    const std::int64_t payload = share(op, sender, me, n);
    run.open += (payload > 0) + (share(op, me, (me + d) % n, n) > 0);
    if (payload == 0) continue;
    const Medium medium = transport.medium(from);
    if (waits_for_clear(payload, medium))
      transport.send_control(context, from, connection(op, Phase::pairs_clear));
    transport.expect(context, {from,
                               connection(op, Phase::pairs),
                               payload,
                               nccl(op).point_wire_bytes(run.protocol, medium, payload),
                               nccl(op).point_software(run.protocol, medium),
                               {slot, d},
                               true});
  }
  std::vector<std::uint32_t> order = pair_order(group_plan, mine, false);
  std::rotate(order.begin(), order.begin() + 1, order.end());  // the own share last
  for (const std::uint32_t at : order) {
    const std::uint32_t receiver = group_index(at), d = (receiver + n - me) % n;
    const EndpointId to = group.member(receiver);
    const std::int64_t payload = share(op, me, receiver, n);
    if (payload == 0) continue;
    if (waits_for_clear(payload, transport.medium(to)))
      transport.expect(context,
                       {to, connection(op, Phase::pairs_clear), 0, control_bytes, SimTime{0}, {slot, n + d}});
    else
      send_to_peer(context, transport, slot, d);
  }
}

void CommEngine::send_to_peer(Context& context, Transport& transport, std::uint32_t slot,
                              std::uint32_t offset) {
  const Op& op = op_of(slot);
  const GroupView group = view(op);
  const std::uint32_t to = (group.my_index + offset) % group.size;
  const std::int64_t payload = share(op, group.my_index, to, group.size);
  runs_[slot].counts[offset].sent |= is_posted;
  const Medium medium = transport.medium(group.member(to));
  transport.send(context, {group.member(to),
                           connection(op, Phase::pairs),
                           payload,
                           nccl(op).point_wire_bytes(runs_[slot].protocol, medium, payload),
                           op.dimension,
                           true,
                           {slot, offset},
                           InSwitch::nothing,
                           false,
                           true});
}

/// Clear to send.
void CommEngine::on_share(Context& context, Transport& transport, Owner owner) {
  const auto n = static_cast<std::uint32_t>(runs_[owner.slot].counts.size());
  send_to_peer(context, transport, owner.slot, owner.sub - n);
}

void CommEngine::begin_barrier(Context& context, Transport& transport, std::uint32_t slot) {
  runs_[slot].counts.assign(1, {});
  runs_[slot].open = 1;
  barrier_round(context, transport, slot);
}

void CommEngine::barrier_round(Context& context, Transport& transport, std::uint32_t slot) {
  const Op& op = op_of(slot);
  const GroupView group = view(op);
  CommRun& run = runs_[slot];
  const std::uint32_t round = run.counts[0].received, n = group.size, distance = 1u << round;
  if (distance >= n) {
    run.open = 0;
    return;
  }
  const EndpointId from = group.member((group.my_index + n - distance) % n);
  const Connection link = connection(op, Phase::barrier, round);
  transport.send_control(context, group.member((group.my_index + distance) % n), link);
  transport.expect(
      context,
      {from, link, 0, control_bytes, nccl(op).software(run.protocol, transport.medium(from)), {slot, 0}});
}

void CommEngine::on_barrier(Context& context, Transport& transport, std::uint32_t slot) {
  ++runs_[slot].counts[0].received;
  barrier_round(context, transport, slot);
}

void CommEngine::begin_point(Context& context, Transport& transport, std::uint32_t slot) {
  const Op& op = op_of(slot);
  CommRun& run = runs_[slot];
  const EndpointId peer = peer_of(op);
  const Medium medium = transport.medium(peer);
  const bool is_bare = run.protocol == Protocol::bare;
  const bool must_wait = !is_bare && waits_for_clear(op.bytes, medium);
  run.counts.assign(1, {});
  run.open = 1;
  if (op.kind == OpKind::recv) {
    if (must_wait) transport.send_control(context, peer, connection(op, Phase::point_clear, op.root));
    transport.expect(context, {peer,
                               connection(op, Phase::point_to_point, op.root),
                               op.bytes,
                               point_bytes(slot, medium),
                               is_bare ? op.duration : nccl(op).point_software(run.protocol, medium),
                               {slot, 0},
                               false,
                               is_bare});
  } else if (must_wait) {
    transport.expect(
        context,
        {peer, connection(op, Phase::point_clear, op.root), 0, control_bytes, SimTime{0}, {slot, 0}});
  } else {
    send_point(context, transport, slot);
  }
}

std::int64_t CommEngine::point_bytes(std::uint32_t slot, Medium medium) const {
  const Op& op = op_of(slot);
  const Protocol protocol = runs_[slot].protocol;
  return protocol == Protocol::bare ? op.bytes : nccl(op).point_wire_bytes(protocol, medium, op.bytes);
}

void CommEngine::send_point(Context& context, Transport& transport, std::uint32_t slot) {
  const Op& op = op_of(slot);
  runs_[slot].counts[0].sent |= is_posted;
  transport.send(context, {peer_of(op),
                           connection(op, Phase::point_to_point, op.root),
                           op.bytes,
                           point_bytes(slot, transport.medium(peer_of(op))),
                           op.dimension,
                           true,
                           {slot, 0},
                           InSwitch::nothing,
                           runs_[slot].protocol == Protocol::bare});
}

void CommEngine::on_point(Context& context, Transport& transport, Owner owner) {
  if (op_of(owner.slot).kind == OpKind::send) return send_point(context, transport, owner.slot);
  --runs_[owner.slot].open;
}

}  // namespace lightrail
