#include <cstdint>

#include "engine/base/transfer_time.hpp"
#include "workloads/generate/training/stage_writer.hpp"

namespace lightrail {

void StageWriter::restore_checkpoint() {
  if (!plan_.checkpoint || !(plan_.checkpoint->restores || plan_.checkpoint->is_read_again)) return;
  Op read = op(OpKind::storage_read, "checkpoint", "restore checkpoint");
  read.dimension = job_.dimension("storage");
  read.bytes = restored_bytes(model_, plan_, stage_);
  read.peer_mode = PeerMode::offset;
  read.is_once = plan_.checkpoint->restores;
  read.restores = plan_.checkpoint->is_read_again;
  chain(read);
}

/// The chain has the copy; the write is beside it, and the step's end waits for it unless it is in the
/// background.
void StageWriter::save_checkpoint() {
  if (!plan_.checkpoint) return;
  const TrainingCheckpoint& plan = *plan_.checkpoint;
  const auto turn = static_cast<std::uint16_t>(plan.every - 1);
  Op copy = op(OpKind::host_copy, "stage checkpoint", "stage checkpoint");
  copy.dimension = job_.dimension("host");
  copy.bytes = staged_bytes(model_, plan_, stage_);
  copy.every = static_cast<std::uint16_t>(plan.every), copy.turn = turn;
  Op write = op(OpKind::storage_write, "checkpoint", "write checkpoint");
  write.dimension = job_.dimension("storage");
  write.bytes = saved_bytes(model_, plan_, stage_);
  write.duration = plan.planning;
  if (plan.serialise_rate.value > 0) write.duration += transfer_time(Bytes{write.bytes}, plan.serialise_rate);
  write.peer_mode = PeerMode::offset;
  write.io = plan.mode;
  write.every = copy.every, write.turn = turn;
  const std::uint32_t staged = chain(copy);
  beside(write, {staged});
}

}  // namespace lightrail
