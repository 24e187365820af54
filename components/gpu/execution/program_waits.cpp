#include <algorithm>
#include <cstdint>

#include "components/gpu/execution/program_runner.hpp"
#include "components/gpu/tables.hpp"

/// The part of ProgramRunner that says what a GPU's time goes into (ExposedTime).
namespace lightrail {
namespace {

TimeUse use_of(OpKind kind) {
  switch (kind) {
    case OpKind::compute:
      return TimeUse::compute;
    case OpKind::collective:
    case OpKind::send:
    case OpKind::recv:
      return TimeUse::communication;
    case OpKind::host:
      return TimeUse::host;
    case OpKind::host_copy:
      return TimeUse::copy;
    case OpKind::storage_read:
    case OpKind::storage_write:
      return TimeUse::storage;
    case OpKind::marker:
      return TimeUse::idle;
  }
  return TimeUse::idle;
}

bool is_point(OpKind kind) {
  return kind == OpKind::send || kind == OpKind::recv;
}

}  // namespace

ExposedTime::Key ProgramRunner::key_of(const Op& op) {
  ExposedTime::Key key{.use = use_of(op.kind)};
  if (key.use == TimeUse::communication) {
    key.dimension = op.dimension;
    key.group = static_cast<std::uint16_t>(op.group.value);
  }
  return key;
}

/// What has ended stays so within an iteration: every operation is looked at once.
std::uint32_t ProgramRunner::next_needed() {
  const auto count = static_cast<std::uint32_t>(program_->ops.size());
  while (first_left_ < count && has_ended(first_left_)) ++first_left_;
  kernel_left_ = std::max(kernel_left_, first_left_);
  while (kernel_left_ < count &&
         (program_->ops[kernel_left_].kind != OpKind::compute || has_ended(kernel_left_)))
    ++kernel_left_;
  const std::uint32_t needed = kernel_left_ < count ? kernel_left_ : first_left_;
  return needed < count ? needed : none;
}

/// A collective that could start waits for the one before it on its communicator.
std::uint32_t ProgramRunner::earlier_on(const Op& op) const {
  for (std::uint32_t stream = 0; stream < streams_.size(); ++stream) {
    if (streams_[stream].ended == index_.stream_ops[stream].size()) continue;
    const auto& ops = index_.stream_ops[stream];
    for (std::size_t at = streams_[stream].ended; at < ops.size(); ++at) {
      const Op& other = program_->ops[ops[at]];
      if (other.kind != OpKind::collective || other.group != op.group) continue;
      if (index_.turn[ops[at]] == turns_[op.group.value]) return ops[at];
      break;  // the stream's others on this communicator come later still
    }
  }
  return none;
}

std::uint32_t ProgramRunner::blocking_op(std::uint32_t op) const {
  // Everything that an operation waits for comes before it in the program, so this ends.
  while (true) {
    const std::uint32_t stream = program_->ops[op].stream, head = op_index(stream);
    if (streams_[stream].is_running || is_held(head)) return head;
    std::uint32_t before = first_missing(head);
    const Op& waits = program_->ops[head];
    if (before == none && waits.kind == OpKind::collective && turns_[waits.group.value] != index_.turn[head])
      before = earlier_on(waits);
    if (before == none && launches_ && launches_->launches_in_order() && launches_->has_work(head))
      before = first_not_started();  // at most the head
    if (before == none || before >= head) return none;
    op = before;
  }
}

void ProgramRunner::count_time(Context& context) {
  if (!records_exposed_) return;
  if (clock_.is_computing()) return exposed_.set(context.now(), {.use = TimeUse::compute});
  const std::uint32_t needed = next_needed();
  if (needed == none) return exposed_.set(context.now(), {.use = TimeUse::idle});
  const std::uint32_t blocking = blocking_op(needed);
  // Nothing of the program, nor the order of launches, keeps it from starting: it has not been launched.
  if (blocking == none) return exposed_.set(context.now(), {.use = TimeUse::host});
  const Op& op = program_->ops[blocking];
  exposed_.set(context.now(), key_of(op),
               is_point(op.kind) ? streams_[op.stream].slot : ExposedTime::no_slot);
}

void ProgramRunner::settle(Context& context, std::uint32_t slot, SimTime partner_at) {
  const CommRun& run = comm_.run(slot);
  const Op& op = program_->ops[run.op];
  if (!records_exposed_ || !is_point(op.kind)) return;
  exposed_.settle(context.now(), slot, key_of(op), comm_.ready_at(slot), partner_at);
}

}  // namespace lightrail
