#pragma once
#include <vector>

#include "engine/model/model_notes.hpp"
#include "workloads/job/join_jobs.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// What the result says of groups and programs.
[[nodiscard]] ModelNotes notes_of(const GroupTable& groups, const ProgramSet& programs);

/// ... and of the jobs that `programs` joins, and their GPUs.
void add_jobs(const std::vector<PlacedJob>& placed, const ProgramSet& programs, ModelNotes& notes);

}  // namespace lightrail
