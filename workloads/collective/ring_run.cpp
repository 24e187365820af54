#include <algorithm>
#include <cstdint>

#include "network/wire/phase.hpp"
#include "workloads/collective/comm_engine.hpp"
#include "workloads/collective/cost_model.hpp"
#include "workloads/collective/ring.hpp"

namespace lightrail {
namespace {

/// Slices of a broadcast on one channel at most: bounds the number of messages of one member.
constexpr std::int64_t max_slices = 64;

}  // namespace

CommEngine::RingPlace CommEngine::place(std::uint32_t slot, std::uint32_t channel) const {
  const GroupPlan& group = plan(op_of(slot));
  const std::uint32_t position = group.ring_position(channel, group.index_of(self_));
  const std::uint32_t before = (position + group.size() - 1) % group.size();
  return {group.ring_size(), position, before, group.ring_member(channel, position + 1),
          group.ring_member(channel, before)};
}

/// Every member sends what it would send in all steps, and has received as much when it came from all. Bytes
/// on the wire are those of equal blocks, for all members alike; traffic is counted exactly.
void CommEngine::begin_folded(Context& context, Transport& transport, std::uint32_t slot) {
  CommRun& run = runs_[slot];
  const Op& op = op_of(slot);
  const RingPlace at = place(slot, 0);
  const std::uint32_t steps = ring_steps(op.collective, at.n);
  auto payload = [&](std::uint32_t position) {
    return turn_bytes(op.collective, op.bytes, op.element_bytes, at.n, position);
  };
  run.open = run.channels = 1;
  run.counts.assign(1, {});
  const std::int64_t wire =
      nccl(op).wire_bytes(run.protocol, Medium::nvlink, (op.bytes * steps + at.n - 1) / at.n);
  // One path is simulated, the others and every step's software are the receiver's.
  const SimTime software =
      steps * nccl(op).software(run.protocol, Medium::nvlink) + (steps - 1) * plan(op).nvlink_path;
  const Connection ring = connection(op, Phase::folded_ring);
  transport.send(context,
                 {at.next, ring, payload(at.position), wire, op.dimension, false, {slot, 0}, InSwitch::fold});
  transport.expect(context,
                   {at.previous, ring, payload(at.before), wire, software + own_copy(op), {slot, 0}});
}

void CommEngine::begin_ring(Context& context, Transport& transport, std::uint32_t slot) {
  CommRun& run = runs_[slot];
  const Op& op = op_of(slot);
  run.channels = ring_channels(nccl(op), plan(op), run.protocol, op.bytes);
  run.counts.assign(run.channels, {});
  run.open = run.channels;
  const std::uint32_t ahead = nccl(op).blocks_ahead(run.protocol);
  for (std::uint32_t c = 0; c < runs_[slot].channels; ++c) {
    for (std::uint32_t step = 0; step < ahead; ++step) expect_block(context, transport, slot, c, step);
    pump_ring(context, transport, slot, c);
  }
}

/// Bytes that `position` sends in `step`. Blocks without bytes (fewer elements than members) are steps
/// without a message.
std::int64_t CommEngine::ring_bytes(std::uint32_t slot, std::uint32_t channel, std::uint32_t position,
                                    std::uint32_t step) const {
  const Op& op = op_of(slot);
  const std::uint32_t n = plan(op).ring_size();
  return block_bytes(op.bytes, op.element_bytes, n, ring_block(op.collective, n, position, step),
                     runs_[slot].channels, channel);
}

std::int64_t CommEngine::block_wire_bytes(std::uint32_t slot, Medium medium, std::int64_t payload) const {
  const NcclSettings& settings = nccl(op_of(slot));
  const Protocol protocol = runs_[slot].protocol;
  return medium == Medium::net ? settings.net_wire_bytes(protocol, payload, settings.ring_messages(payload))
                               : settings.wire_bytes(protocol, medium, payload);
}

/// As many steps ahead as the buffer of the connection holds blocks: the software time of one does not hold
/// up the next.
void CommEngine::expect_block(Context& context, Transport& transport, std::uint32_t slot,
                              std::uint32_t channel, std::uint32_t step) {
  const CommRun& run = runs_[slot];
  const Op& op = op_of(slot);
  const RingPlace at = place(slot, channel);
  if (step >= ring_steps(op.collective, at.n)) return;
  const std::int64_t payload = ring_bytes(slot, channel, at.before, step);
  if (payload == 0) return;
  const Medium medium = transport.medium(at.previous);
  transport.expect(context,
                   {at.previous,
                    connection(op, Phase::ring, channel),
                    payload,
                    block_wire_bytes(slot, medium, payload),
                    nccl(op).software(run.protocol, medium,
                                      ring_scale(nccl(op), plan(op), op.collective, run.protocol, op.bytes)),
                    {slot, channel}});
}

/// Sends what may be sent. What has been asked for: the blocks of the steps before received + blocks_ahead.
void CommEngine::pump_ring(Context& context, Transport& transport, std::uint32_t slot,
                           std::uint32_t channel) {
  CommRun& run = runs_[slot];
  CommRun::Count& count = run.counts[channel];
  const Op& op = op_of(slot);
  const RingPlace at = place(slot, channel);
  const std::uint32_t steps = ring_steps(op.collective, at.n);
  const Connection ring = connection(op, Phase::ring, channel);
  for (;; take_block(context, transport, slot, channel)) {
    for (; count.sent < steps && count.sent <= count.received; ++count.sent) {
      const std::int64_t payload = ring_bytes(slot, channel, at.position, count.sent);
      if (payload > 0)
        transport.send(context, {at.next,
                                 ring,
                                 payload,
                                 block_wire_bytes(slot, transport.medium(at.next), payload),
                                 op.dimension,
                                 false,
                                 {slot, channel}});
    }
    if (count.received == steps) break;
    if (ring_bytes(slot, channel, at.before, count.received) > 0) return;
  }
  --run.open;
}

/// One step's block is here, or has no bytes.
void CommEngine::take_block(Context& context, Transport& transport, std::uint32_t slot,
                            std::uint32_t channel) {
  CommRun& run = runs_[slot];
  const std::uint32_t next = run.counts[channel].received++ + nccl(op_of(slot)).blocks_ahead(run.protocol);
  expect_block(context, transport, slot, channel, next);
}

void CommEngine::on_block(Context& context, Transport& transport, Owner owner) {
  take_block(context, transport, owner.slot, owner.sub);
  pump_ring(context, transport, owner.slot, owner.sub);
}

CommEngine::Slices CommEngine::slices(std::uint32_t slot, std::uint32_t channel) const {
  const CommRun& run = runs_[slot];
  const Op& op = op_of(slot);
  const Medium medium = plan(op).servers() == 1 ? Medium::nvlink : Medium::net;
  const std::int64_t bytes = part_bytes(op.bytes, op.element_bytes, run.channels, channel);
  const std::int64_t slice = nccl(op).slice_bytes(run.protocol, medium);
  const std::int64_t count = std::clamp<std::int64_t>((bytes + slice - 1) / slice, 1, max_slices);
  return {bytes, static_cast<std::uint32_t>(bytes == 0 ? 0 : count)};
}

void CommEngine::begin_broadcast(Context& context, Transport& transport, std::uint32_t slot) {
  const Op& op = op_of(slot);
  const GroupPlan& group = plan(op);
  runs_[slot].channels = ring_channels(nccl(op), group, runs_[slot].protocol, op.bytes);
  runs_[slot].counts.assign(runs_[slot].channels, {});
  const bool is_root = view(op).member(op.root) == self_;
  for (std::uint32_t c = 0; c < runs_[slot].channels; ++c) {
    const Slices all = slices(slot, c);
    if (all.count == 0) continue;
    ++runs_[slot].open;
    if (!is_root) {
      expect_slice(context, transport, slot, c);
      continue;
    }
    for (std::uint32_t k = 0; k < all.count; ++k)
      send_slice(context, transport, slot, c, k, k + 1 == all.count);
  }
}

std::int64_t CommEngine::slice_payload(std::uint32_t slot, std::uint32_t channel, std::uint32_t slice) const {
  const Slices all = slices(slot, channel);
  return part_bytes(all.bytes, op_of(slot).element_bytes, all.count, slice);
}

void CommEngine::expect_slice(Context& context, Transport& transport, std::uint32_t slot,
                              std::uint32_t channel) {
  const CommRun& run = runs_[slot];
  const Op& op = op_of(slot);
  const EndpointId from = place(slot, channel).previous;
  const std::int64_t payload = slice_payload(slot, channel, run.counts[channel].received);
  transport.expect(context, {from,
                             connection(op, Phase::ring, channel),
                             payload,
                             nccl(op).wire_bytes(run.protocol, transport.medium(from), payload),
                             nccl(op).software(run.protocol, transport.medium(from)),
                             {slot, channel}});
}

void CommEngine::send_slice(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t channel,
                            std::uint32_t slice, bool notify) {
  const Op& op = op_of(slot);
  const std::int64_t payload = slice_payload(slot, channel, slice);
  const EndpointId next = place(slot, channel).next;
  transport.send(context, {next,
                           connection(op, Phase::ring, channel),
                           payload,
                           nccl(op).wire_bytes(runs_[slot].protocol, transport.medium(next), payload),
                           op.dimension,
                           notify,
                           {slot, channel}});
}

void CommEngine::on_slice(Context& context, Transport& transport, Owner owner) {
  CommRun::Count& count = runs_[owner.slot].counts[owner.sub];
  const std::uint32_t slice = count.received++;
  const Op& op = op_of(owner.slot);
  if (place(owner.slot, owner.sub).next != view(op).member(op.root))
    send_slice(context, transport, owner.slot, owner.sub, slice, false);
  if (count.received < slices(owner.slot, owner.sub).count)
    return expect_slice(context, transport, owner.slot, owner.sub);
  --runs_[owner.slot].open;
}

}  // namespace lightrail
