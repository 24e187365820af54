#pragma once
#include <cstdint>

#include "workloads/import/kineto/kineto_rank.hpp"
#include "workloads/trace/job_output.hpp"

namespace lightrail {

/// The job of `ranks` ranks that all do what the one of `trace` did, each in its own groups: a group's ranks
/// must be a regular part of all ranks (start, stride), partners are the same number of places further, and
/// what an uneven all-to-all gives the k-th next member every rank gives its k-th next one. `trace` has whole
/// lists of groups. Throws InputErrors where the others cannot do the same.
void import_one_rank(const RankTrace& trace, std::uint32_t ranks, JobOutput& output);

}  // namespace lightrail
