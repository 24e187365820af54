#pragma once
#include <string>

#include "engine/base/time.hpp"
#include "engine/model/model.hpp"

namespace lightrail {

/// Why a job whose GPUs wait for ever at `end` is over: GPUs that a fault has stopped for good, since when,
/// and what follows. "" where no GPU has: nobody knows then.
[[nodiscard]] std::string abort_reason(const Model& model, SimTime end);

}  // namespace lightrail
