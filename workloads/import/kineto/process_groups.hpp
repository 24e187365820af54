#pragma once
#include <cstdint>
#include <vector>

#include "workloads/import/kineto/kineto_rank.hpp"
#include "workloads/job/job.hpp"

namespace lightrail {

/// A communication's place in the job's groups.
struct BoundCommunication {
  GroupKindId group{};
  std::int32_t peer = 0;   ///< send, recv: index in the group
  std::int64_t bytes = 0;  ///< [B]
  std::uint16_t dimension = no_dimension;
  std::uint16_t split = 0;  ///< all-to-all-v
};

/// Makes group kinds of all process groups of the traces (disjoint ones of one description share a kind) and
/// binds every communication: result[rank][communication]. A group whose ranks a trace does not list must be
/// everyone. All-to-alls get what every pair exchanges. `ranks` are ordered by rank; GPU r is rank r. Throws
/// InputErrors when members of a group disagree on the number, type or size of its collectives.
[[nodiscard]] std::vector<std::vector<BoundCommunication>> bind_process_groups(
    const std::vector<RankTrace>& ranks, JobBuilder& job);

}  // namespace lightrail
