#include <cstdint>

#include "workloads/collective/comm_engine.hpp"
#include "workloads/collective/ring.hpp"

/// Operations whose time a formula gives.
namespace lightrail {

std::int64_t CommEngine::payload_of(const Op& op) const {
  if (op.kind != OpKind::collective) return op.kind == OpKind::send ? op.bytes : 0;
  const GroupView group = view(op);
  const std::uint32_t n = group.size, me = group.my_index;
  switch (op.collective) {
    case CollectiveType::all_reduce:
    case CollectiveType::all_gather:
    case CollectiveType::reduce_scatter:
      return turn_bytes(op.collective, op.bytes, op.element_bytes, plan(op).ring_size(), me);
    case CollectiveType::all_to_all: {
      std::int64_t bytes = 0;
      for (std::uint32_t to = 0; to < n; ++to)
        if (to != me) bytes += share(op, me, to, n);
      return bytes;
    }
    case CollectiveType::broadcast:  // around a ring: all but the last member pass it on
      return (me + n - op.root) % n + 1 == n ? 0 : op.bytes;
    case CollectiveType::barrier:
    case CollectiveType::none:
      return 0;
  }
  return 0;
}

void CommEngine::meet(Context& context, Transport& transport, std::uint32_t slot, SimTime skew) {
  CommRun& run = runs_[slot];
  const Op& op = op_of(slot);
  run.stage = CommRun::Stage::meeting;
  run.open = 1;
  const auto program = static_cast<std::uint32_t>(program_ - set_->programs.data());
  transport.meet(context, {program, run.op, slot, payload_of(op), op.dimension,
                           formula_->port_from_last(op.group), skew});
}

void CommEngine::on_met(std::uint32_t slot) {
  LIGHTRAIL_EXPECT(runs_[slot].stage == CommRun::Stage::meeting);
  runs_[slot].open = 0;
}

}  // namespace lightrail
