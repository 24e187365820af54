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

/// Lines from a member to the one before it: of GPU, NIC, leaf, spine, leaf and NIC.
constexpr std::int64_t ring_clear_lines = 6;

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
  run.counts.assign(2 * run.channels, {});
  run.open = run.channels;
  const std::uint32_t ahead = nccl(op).blocks_ahead(run.protocol), window = ring_window(slot);
  const std::uint32_t steps = ring_steps(op.collective, plan(op).ring_size());
  for (std::uint32_t c = 0; c < runs_[slot].channels; ++c) {
    for (std::uint32_t step = 0; step < ahead; ++step) expect_block(context, transport, slot, c, step);
    for (std::uint32_t step = 0; step < window && step + window < steps; ++step)
      expect_ring_clear(context, transport, slot, c, step);
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

/// Blocks that a member may be ahead of what the next one has handed on: what the buffer holds, two at least,
/// or all would wait for all. Twice as many of those that fit a chunk: the time for one to be handed on has
/// all of a step's software in it, of which the sender's part holds no place in the receiver's buffer. And as
/// many as make up for what the message that hands one back waits on its way: at a coarse grain a train on
/// each line.
std::uint32_t CommEngine::ring_window(std::uint32_t slot) const {
  const CommRun& run = runs_[slot];
  const Op& op = op_of(slot);
  const NcclSettings& settings = nccl(op);
  const std::uint32_t held = settings.blocks_ahead(run.protocol);
  const std::uint32_t n = plan(op).ring_size();
  const std::int64_t block = op.bytes / n / run.channels;
  const std::int64_t chunk =
      settings.slice_bytes(run.protocol, Medium::net) * std::max(1u, settings.steps / held);
  const std::uint32_t window = std::max(2u, block > chunk ? held : 2 * held);
  const std::int64_t trains = ring_clear_lines * net_train_bytes_ / std::max<std::int64_t>(block, 1);
  return static_cast<std::uint32_t>(std::min<std::int64_t>(window + trains, ring_steps(op.collective, n)));
}

/// Whether a block takes a place in `peer`'s buffer, which the next one waits for until the kernel there has
/// handed it on: over the network, unless some blocks have no bytes, for all of those are there at once, or
/// what hands them back would take long.
bool CommEngine::has_ring_slots(const Transport& transport, std::uint32_t slot, EndpointId peer) const {
  const Op& op = op_of(slot);
  const std::int64_t elements = op.bytes / std::max<std::uint32_t>(op.element_bytes, 1);
  return !transport.has_slow_control() && transport.medium(peer) == Medium::net &&
         elements / plan(op).ring_size() >= std::int64_t{runs_[slot].channels};
}

/// Blocks that may be under way to `peer` at once: all, where none is handed back.
std::uint32_t CommEngine::blocks_to(const Transport& transport, std::uint32_t slot, EndpointId peer) const {
  if (has_ring_slots(transport, slot, peer)) return ring_window(slot);
  const Op& op = op_of(slot);
  return ring_steps(op.collective, plan(op).ring_size());
}

/// Of the block sent in `step`, from the next member.
void CommEngine::expect_ring_clear(Context& context, Transport& transport, std::uint32_t slot,
                                   std::uint32_t channel, std::uint32_t step) {
  const Op& op = op_of(slot);
  const RingPlace at = place(slot, channel);
  if (step + blocks_to(transport, slot, at.next) >= ring_steps(op.collective, at.n)) return;
  transport.expect(context, {at.next,
                             connection(op, Phase::ring_clear, channel),
                             0,
                             control_bytes,
                             SimTime{0},
                             {slot, runs_[slot].channels + channel}});
}

/// Tells the member before that blocks have left the buffer: sent on, or the last one taken.
void CommEngine::clear_blocks(Context& context, Transport& transport, std::uint32_t slot,
                              std::uint32_t channel) {
  CommRun& run = runs_[slot];
  const Op& op = op_of(slot);
  const RingPlace at = place(slot, channel);
  const CommRun::Count& count = run.counts[channel];
  const std::uint32_t steps = ring_steps(op.collective, at.n);
  const std::uint32_t handed_on =
      count.sent == steps ? count.received : std::min(count.received, count.sent - 1);
  const std::uint32_t to_clear = steps - blocks_to(transport, slot, at.previous);
  std::uint32_t& told = run.counts[run.channels + channel].sent;
  for (; told < std::min(handed_on, to_clear); ++told)
    transport.send_control(context, at.previous, connection(op, Phase::ring_clear, channel));
}

/// Whether the kernel must stay until its last block is on the wire: what may be under way then is more than
/// the buffer that it would be left in.
bool CommEngine::outgrows_buffer(std::uint32_t slot, Medium medium, std::int64_t payload) const {
  const NcclSettings& settings = nccl(op_of(slot));
  return medium == Medium::net &&
         ring_window(slot) * payload >
             std::int64_t{settings.steps} * settings.slice_bytes(runs_[slot].protocol, medium);
}

/// Sends what may be sent. What has been asked for: the blocks of the steps before received + blocks_ahead.
void CommEngine::pump_ring(Context& context, Transport& transport, std::uint32_t slot,
                           std::uint32_t channel) {
  const Op& op = op_of(slot);
  const RingPlace at = place(slot, channel);
  const std::uint32_t steps = ring_steps(op.collective, at.n);
  for (;; take_block(context, transport, slot, channel)) {
    const std::uint32_t cleared =
        std::min(steps, runs_[slot].counts[runs_[slot].channels + channel].received +
                            blocks_to(transport, slot, at.next));
    CommRun::Count& count = runs_[slot].counts[channel];
    for (; count.sent < cleared && count.sent <= count.received; ++count.sent)
      send_block(context, transport, slot, channel, count.sent);
    clear_blocks(context, transport, slot, channel);
    if (count.received == steps) {
      if (count.sent < steps) return;
      break;
    }
    if (ring_bytes(slot, channel, at.before, count.received) > 0) return;
  }
  --runs_[slot].open;
}

void CommEngine::send_block(Context& context, Transport& transport, std::uint32_t slot, std::uint32_t channel,
                            std::uint32_t step) {
  const Op& op = op_of(slot);
  const RingPlace at = place(slot, channel);
  const std::int64_t payload = ring_bytes(slot, channel, at.position, step);
  if (payload == 0) return;
  const Medium medium = transport.medium(at.next);
  const bool notify = step + 1 == ring_steps(op.collective, at.n) && outgrows_buffer(slot, medium, payload);
  if (notify) ++runs_[slot].open;
  transport.send(context, {at.next,
                           connection(op, Phase::ring, channel),
                           payload,
                           block_wire_bytes(slot, medium, payload),
                           op.dimension,
                           notify,
                           {slot, notify ? no_count : channel}});
}

/// One step's block is here, or has no bytes. With the last one the kernel copies its own.
void CommEngine::take_block(Context& context, Transport& transport, std::uint32_t slot,
                            std::uint32_t channel) {
  CommRun& run = runs_[slot];
  const Op& op = op_of(slot);
  const std::uint32_t next = run.counts[channel].received++ + nccl(op).blocks_ahead(run.protocol);
  if (run.counts[channel].received == ring_steps(op.collective, plan(op).ring_size()))
    run.until = std::max(run.until, context.now() + own_copy(op));
  expect_block(context, transport, slot, channel, next);
}

void CommEngine::on_block(Context& context, Transport& transport, Owner owner) {
  CommRun& run = runs_[owner.slot];
  if (owner.sub < run.channels) {
    take_block(context, transport, owner.slot, owner.sub);
    return pump_ring(context, transport, owner.slot, owner.sub);
  }
  const std::uint32_t channel = owner.sub - run.channels;
  const std::uint32_t next = run.counts[owner.sub].received++ + ring_window(owner.slot);
  expect_ring_clear(context, transport, owner.slot, channel, next);
  pump_ring(context, transport, owner.slot, channel);
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
