#pragma once
#include <cstdint>

#include "workloads/goodput/goodput_plan.hpp"
#include "workloads/goodput/goodput_use.hpp"

namespace lightrail {

/// One run of replica groups that recover from each other, as TorchFT's: a failure takes one group away for
/// its restart time, whose load is the copy from a peer, and the step that it falls in does not count. The
/// others go on once they miss its heartbeat and have a quorum without it; the group takes part again from
/// the first step after its return, which needs another quorum. When the last group fails, all steps are
/// lost. Left out: a batch that shrinks with the groups that are away changes no step's time. `plan` has a
/// step and replicas; `run`: which of its random streams.
[[nodiscard]] GoodputSample play_replicas(const GoodputPlan& plan, std::uint32_t run);

}  // namespace lightrail
