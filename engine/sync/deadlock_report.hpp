#pragma once
#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/sync/rank_model.hpp"

namespace lightrail {

/// Who waits for what when no event is left anywhere.
struct DeadlockReport {
  std::vector<std::string> waits;  ///< "gpu3: op 17 ...", in component order, at most 20
  std::int64_t total = 0;
  std::string
      circle;  ///< input buffers that wait for one another, at most 20; empty: there is no such circle
};

/// Collective; the same on every rank. `end` is the time in the error of a component that cannot say.
[[nodiscard]] DeadlockReport report_waits(RankModel& model, SimTime end, MPI_Comm comm);

}  // namespace lightrail
