#include <cstdint>
#include <iterator>
#include <vector>

#include "workloads/generate/training/stage_writer.hpp"

namespace lightrail {

/// What is taken first in a step was made beside the step before, which makes as many in the end. Tokens and
/// labels are 8 bytes each, unless samples in storage are larger.
void StageWriter::load_batch(int parts) {
  if (plan_.loading_time == SimTime{0} && !plan_.data) return;
  Op copy = op(OpKind::host_copy, "data copy", "copy batch");
  copy.peer = 1;  // to the GPU
  copy.bytes = 8 * parts * tokens_;
  if (plan_.data) copy.dimension = job_.dimension("host"), copy.bytes = data_copy_bytes(*plan_.data, plan_);
  std::vector<std::uint32_t> made;
  if (loads_.size() >= plan_.loading_ahead) made = {loads_[loads_.size() - plan_.loading_ahead]};
  wait_for(beside(copy, made));
  const std::uint32_t taken = chain(op(OpKind::marker, "compute", "batch"));
  const std::uint32_t here = read_batch(taken);
  if (plan_.loading_time == SimTime{0}) return loads_.push_back(here);
  Op load = op(OpKind::host, "host loader", "load batch");
  load.duration = plan_.loading_time;
  loads_.push_back(beside(load, {here}));
}

std::uint32_t StageWriter::read_batch(std::uint32_t taken) {
  std::uint32_t last = taken;
  if (!plan_.data) return last;
  for (const DataRead& part : data_reads(*plan_.data, plan_, stage_, std::ssize(loads_))) {
    Op read = op(OpKind::storage_read, "data", "read samples");
    read.dimension = job_.dimension("data");
    read.bytes = part.bytes;
    read.peer_mode = peer_mode_of(plan_.data->network);
    read.peer = static_cast<std::int32_t>(part.server);
    last = beside(read, {taken});
  }
  return last;
}

void StageWriter::embed() {
  memory("embedding", 2 * 2 * tokens_ * hidden_);
  leave_tensor_parallel(hidden_);
  if (plan_.dropout) memory("embedding dropout", (2 + 2 + 1) * local_ * hidden_);
}

void StageWriter::embed_backward() {
  if (plan_.is_frozen()) return;
  if (plan_.sequence_parallel)
    collective(CollectiveType::all_gather, groups_.tp, "tp", 2 * tokens_ * hidden_);
  memory("embedding backward", 2 * 2 * tokens_ * hidden_);
}

void StageWriter::head() {
  std::int64_t vocabulary = padded_vocabulary(model_, plan_) / tp_;
  norm(false);
  dtype_ = DataType::bf16;  // never FP8
  gather_gemm("logits", vocabulary, hidden_);
  dtype_ = plan_.dtype;
  // Fused: read, written, read again, FP32. Separate, in FP32: cast, largest, subtract, exponential, sum,
  // divide.
  memory("cross entropy", (is_separate() ? 6 + 4 + 8 + 8 + 4 + 8 : 3 * 4) * tokens_ * vocabulary);
  // The largest logit, the target's logit and the sum of exponentials of every token.
  for (int i = 0; i < 3; ++i) collective(CollectiveType::all_reduce, groups_.tp, "tp", 4 * tokens_, 4);
}

void StageWriter::head_backward(bool is_split) {
  if (is_split) deferred_.emplace_back();
  puts_off_ = is_split;
  std::int64_t vocabulary = padded_vocabulary(model_, plan_) / tp_;
  // Scaled in FP32; separate: cast to 2 bytes after that.
  memory("cross entropy backward", (is_separate() ? 8 + 6 : 2 * 4) * tokens_ * vocabulary);
  dtype_ = DataType::bf16;
  gathered_backward("logits", vocabulary, hidden_);
  dtype_ = plan_.dtype;
  norm(true);
  puts_off_ = false;
}

/// Whole on every GPU of tp, each with its part of the sequence.
void StageWriter::project() {
  embed();
  norm(false);
  norm(false);
  keeps_all_ = plan_.recompute != Recompute::light;
  cast_forward(From::kernel, local_, hidden_, 2 * hidden_);
  keeps_all_ = true;
  gemm("projection", local_, hidden_, 2 * hidden_);
}

void StageWriter::project_backward(bool is_split) {
  if (is_split) deferred_.emplace_back();
  puts_off_ = is_split;
  if (plan_.recompute == Recompute::light)
    for (int i = 0; i < 2; ++i) {
      norm(false);
      cast_again(From::kernel, local_, hidden_);
    }
  cast_backward(From::other, local_, hidden_, 2 * hidden_);
  gemm("projection dgrad", local_, 2 * hidden_, hidden_);
  weight_gemm("projection wgrad", 2 * hidden_, hidden_, local_);
  norm(true);
  norm(true);
  embed_backward();
  puts_off_ = false;
  // The activation went to the output layer as well.
  memory("gradient sum", 3 * 2 * local_ * hidden_);
}

}  // namespace lightrail
