#include <cstdint>
#include <utility>
#include <vector>

#include "workloads/generate/training/stage_writer.hpp"

namespace lightrail {

/// Copies run beside the kernels, in their order: what is not waited for takes no time of the step.
std::uint32_t StageWriter::host_copy(const char* stream, const char* name, bool is_to_gpu, std::int64_t bytes,
                                     std::vector<std::uint32_t> after) {
  Op copy = op(OpKind::host_copy, stream, name);
  copy.peer = is_to_gpu ? 1 : 0;
  copy.bytes = bytes;
  return beside(copy, std::move(after));
}

/// Two layers' activations are on their way at most: the pass goes on when the one before the last is out.
void StageWriter::offload_layer(std::int64_t bytes) {
  last_offload_ = host_copy("offload", "offload activations", false, bytes, waits_);
  offloads_.push_back(last_offload_);
  if (offloads_.size() < 2) return;
  wait_for(offloads_.front());
  offloads_.pop_front();
}

void StageWriter::reload_layer(std::int64_t bytes) {
  std::vector<std::uint32_t> after = waits_;
  after.push_back(last_offload_);
  reloads_.push_back(host_copy("reload", "reload activations", true, bytes, std::move(after)));
}

void StageWriter::wait_for_layer() {
  wait_for(reloads_.front());
  reloads_.pop_front();
}

/// Comes in beside the last reductions, goes out beside what follows; the end of the step waits for it, since
/// the next one begins when all streams have ended.
void StageWriter::reload_optimizer() {
  if (plan_.offloads_optimizer)
    optimizer_ = host_copy("reload", "reload optimizer", true, optimizer_bytes(), waits_);
}

void StageWriter::offload_optimizer() {
  if (plan_.offloads_optimizer) host_copy("offload", "offload optimizer", false, optimizer_bytes(), waits_);
}

}  // namespace lightrail
