#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/transfer_time.hpp"
#include "workloads/generate/training/stage_writer.hpp"

namespace lightrail {

void StageWriter::restore_checkpoint() {
  if (!plan_.checkpoint) return;
  const TrainingCheckpoint& plan = *plan_.checkpoint;
  const bool is_read_again = plan.is_read_again && plan.to_storage_every() > 0;
  if (plan.is_read_again && plan.is_to_peers()) restore_from_peers();
  if (!plan.restores && !is_read_again) return;
  Op read = op(OpKind::storage_read, "checkpoint", "restore checkpoint");
  read.dimension = job_.dimension("storage");
  read.bytes = restored_bytes(model_, plan_, stage_);
  read.peer_mode = peer_mode_of(plan.network);
  read.is_once = plan.restores;
  read.restores = is_read_again;
  chain(read);
}

/// The chain has the copy, which the CPU waits for; the write is beside it, and the step's end waits for it
/// unless it is in the background.
void StageWriter::save_checkpoint() {
  if (!plan_.checkpoint || plan_.checkpoint->to_storage_every() == 0) return;
  const TrainingCheckpoint& plan = *plan_.checkpoint;
  const auto every = static_cast<std::uint16_t>(plan.to_storage_every());
  const auto turn = static_cast<std::uint16_t>(every - 1);
  Op copy = op(OpKind::host_copy, "stage checkpoint", "stage checkpoint");
  copy.dimension = job_.dimension("host");
  copy.bytes = staged_bytes(model_, plan_, stage_);
  copy.every = every, copy.turn = turn;
  Op write = op(OpKind::storage_write, "checkpoint", "write checkpoint");
  write.dimension = job_.dimension("storage");
  write.bytes = saved_bytes(model_, plan_, stage_);
  write.duration = plan.planning;
  if (plan.serialise_rate.value > 0) write.duration += transfer_time(Bytes{write.bytes}, plan.serialise_rate);
  write.peer_mode = peer_mode_of(plan.network);
  write.io = plan.mode == SaveMode::synchronous ? IoMode::from_host
             : plan.uses_threads()              ? IoMode::thread
                                                : IoMode::background;
  write.every = every, write.turn = turn;
  reads_back_ = plan_.counts_launches();  // who saves waits for the copy, and then goes on
  const std::uint32_t staged = chain(copy);
  beside(write, {staged});
}

Op StageWriter::peer_op(OpKind kind, const char* name, std::int32_t peer, std::int64_t bytes) {
  const TrainingCheckpoint& plan = *plan_.checkpoint;
  Op one = op(kind, name, name);
  one.dimension = job_.dimension(kind == OpKind::host_copy ? "host" : "peers");
  one.group = groups_.peers;
  one.peer = peer;
  if (kind != OpKind::host_copy) one.peer_mode = PeerMode::offset;
  one.bytes = bytes;
  one.io = plan.traffic == PeerTraffic::idle ? IoMode::in_idle_time : IoMode::in_memory;
  one.every = static_cast<std::uint16_t>(plan.every);
  return one;
}

/// Streams of their own, which the host's CPUs have nothing to launch on: the library's own threads do.
void StageWriter::save_to_peers() {
  if (!plan_.checkpoint || !plan_.checkpoint->is_to_peers()) return;
  const TrainingCheckpoint& plan = *plan_.checkpoint;
  const std::int64_t bytes = restored_bytes(model_, plan_, stage_);
  kept_ = {append(program_, peer_op(OpKind::host_copy, "keep checkpoint", 0, bytes))};
  std::vector<std::uint32_t> kept;  // by piece that came: its copy to the host, which frees the buffer
  std::uint32_t sent = 0;
  for (std::uint32_t distance = 1; distance < plan.copies; ++distance)
    for (std::int64_t at = 0; at < bytes; at += plan.piece.value) {
      const std::int64_t piece = std::min(plan.piece.value, bytes - at);
      const auto to = static_cast<std::int32_t>(distance);
      sent = append(program_, peer_op(OpKind::send, "send checkpoint", to, piece));
      std::vector<std::uint32_t> free;
      if (kept.size() >= plan.buffers) free = {kept[kept.size() - plan.buffers]};
      const std::uint32_t came =
          append(program_, peer_op(OpKind::recv, "receive checkpoint", -to, piece), free);
      kept.push_back(append(program_, peer_op(OpKind::host_copy, "keep peer's checkpoint", 0, piece),
                            std::vector{came}));
    }
  kept_.push_back(sent);
}

/// A server whose host has lost its memory has its state from the next one of the group that still keeps it,
/// each GPU from the same one there.
void StageWriter::restore_from_peers() {
  const TrainingCheckpoint& plan = *plan_.checkpoint;
  const std::int64_t bytes = restored_bytes(model_, plan_, stage_);
  const auto restoring = [&](OpKind kind, const char* name, std::int32_t peer, std::int64_t size) {
    Op one = peer_op(kind, name, peer, size);
    one.io = IoMode::in_memory;
    one.every = 1;
    one.restores = true;
    return one;
  };
  append(program_, restoring(OpKind::host_copy, "restore kept checkpoint", 1, bytes));
  for (std::uint32_t distance = 1; distance < plan.copies; ++distance)
    for (std::int64_t at = 0; at < bytes; at += plan.piece.value) {
      const std::int64_t piece = std::min(plan.piece.value, bytes - at);
      const auto behind = static_cast<std::int32_t>(distance);
      Op copy = restoring(OpKind::host_copy, "copy peer's checkpoint", 1, piece);
      copy.root = distance;
      const std::uint32_t copied = append(program_, copy);
      Op send = restoring(OpKind::send, "return checkpoint", -behind, piece);
      Op receive = restoring(OpKind::recv, "get checkpoint back", behind, piece);
      send.root = receive.root = 1;  // apart from what is saved
      append(program_, send, std::vector{copied});
      append(program_, receive);
    }
}

}  // namespace lightrail
