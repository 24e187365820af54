#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "workloads/job/job.hpp"

namespace lightrail {

/// Start and end of every operation [ps], by program.
struct Times {
  std::vector<std::vector<std::int64_t>> start, end;
};

/// The meaning of programs without a network: an operation starts when its stream's previous operation and
/// its dependencies have ended; a collective starts when all members have reached it and takes `cost`. One
/// program a GPU. Operations that can never run keep end -1.
Times evaluate(const Job& job, const std::function<std::int64_t(const Op&)>& cost);

}  // namespace lightrail
