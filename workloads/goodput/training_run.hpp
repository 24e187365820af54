#pragma once
#include <cstdint>

#include "workloads/goodput/goodput_plan.hpp"
#include "workloads/goodput/goodput_use.hpp"

namespace lightrail {

/// One run of a job that restarts as a whole from its last checkpoint. Failures come at any time, also during
/// a restart, which then begins anew with the detection of the new failure. `plan` has a step and no
/// replicas; `run`: which of its random streams.
[[nodiscard]] GoodputSample play_training(const GoodputPlan& plan, std::uint32_t run);

}  // namespace lightrail
