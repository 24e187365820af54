#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/job/job.hpp"

namespace lightrail {

/// The replayed figures of one run, as the capture has them.
struct ReplayFigures {
  std::vector<std::int64_t>
      span_ps;               ///< by rank: first GPU operation's start to the last one's end; -1: not recorded
  std::int64_t step_ps = 0;  ///< start of the run to the last GPU operation's end, of the recorded GPUs
  std::int64_t fastest_median_ps = 0;  ///< of each collective the fastest member's duration; their median
  std::int64_t fastest_sum_ps = 0;     ///< ... and their sum
  std::int64_t collectives = 0;        ///< a rank took part in
  std::vector<std::int64_t>
      exposed_ps;  ///< by rank: communication went on and nothing else did; -1: not recorded
  std::vector<Capture::Kind> kinds;  ///< by type and size
};

/// Reads them from the tables ops and collectives of a finished result file. `capture.ranks[r].gpu` is rank
/// r's GPU. Throws InputErrors when the file lacks the tables.
[[nodiscard]] ReplayFigures read_replay(const Capture& capture, const std::string& result_file);

/// Captured against simulated, with the difference in per cent: step, GPU span by rank, exposed
/// communication, median and sum of collectives, and the sums of those kinds and sizes that took most.
[[nodiscard]] std::string comparison_text(const Capture& capture, const ReplayFigures& replay);

}  // namespace lightrail
