#include <cstdint>

#include "workloads/collective/comm_engine.hpp"

/// Collectives that go as one did before them.
namespace lightrail {
namespace {

/// Owner::sub of the timers of one that is recalled; its begin is 0, as of all.
constexpr std::uint32_t end_is_set = 1, end_is_here = 2;

}  // namespace

void CommEngine::tell_start(Context& context, Transport& transport, std::uint32_t slot, SimTime delay) {
  const Op& op = op_of(slot);
  const std::uint32_t number = started_[op.group.value]++;
  const bool is_nothing = op.bytes == 0 && op.collective != CollectiveType::barrier;
  if (is_nothing || !recall_->is_whole(plan(op), self_)) return;
  const auto program = static_cast<std::size_t>(program_ - set_->programs.data());
  const std::uint32_t index = runs_[slot].op;
  transport.tell_start(context, {slot, recall_->alike[program][index], number, delay,
                                 recall_->is_alone[program][index], plan(op).members.front() == self_});
}

void CommEngine::on_recalled(Context& context, Transport& transport, std::uint32_t slot, SimTime set_at,
                             SimTime end) {
  CommRun& run = runs_[slot];
  LIGHTRAIL_EXPECT(run.stage == CommRun::Stage::starting && set_at > context.now() && end >= set_at);
  run.stage = CommRun::Stage::recalled;
  run.open = 1;
  run.until = end;
  transport.wake_after(context, set_at - context.now(), {slot, end_is_set});
}

/// The wake of the end is set when it would have been: of what happens at the same time at this GPU, what was
/// set first comes first.
bool CommEngine::on_recall_timer(Context& context, Transport& transport, Owner owner) {
  if (owner.sub == end_is_here) return true;
  if (owner.sub == end_is_set)
    transport.wake_after(context, runs_[owner.slot].until - context.now(), {owner.slot, end_is_here});
  return false;
}

}  // namespace lightrail
