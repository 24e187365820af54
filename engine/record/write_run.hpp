#pragma once
#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/partition/partition.hpp"
#include "engine/record/result_file.hpp"
#include "engine/record/run_outcome.hpp"
#include "engine/record/summary.hpp"

namespace lightrail {

struct RecorderOptions;

/// One row of /profile/windows.
struct RankedProfile {
  std::int64_t rank = 0;
  WindowProfile window;
};

/// The parts of the file that are not tables. The writers call them together.
void write_run_start(ResultFile& file, const RecorderOptions& options, const Model& model,
                     const Partition& partition, int ranks);
void write_summary(ResultFile& file, const Summary& summary);
void write_profile(ResultFile& file, const std::vector<RankedProfile>& profile);
void write_run_end(ResultFile& file, const RunOutcome& outcome);

/// What the engine reports about the run; the sums over rows are SummaryCollector's.
[[nodiscard]] Summary make_summary(const RunOutcome& outcome, int ranks, const Model& model);
/// All ranks' windows in the order of ranks, on rank 0; elsewhere none.
[[nodiscard]] std::vector<RankedProfile> gather_profile(MPI_Comm comm, const RunOutcome& outcome);

}  // namespace lightrail
