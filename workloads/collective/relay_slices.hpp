#pragma once
#include <cstdint>

#include "workloads/collective/group_plan.hpp"

namespace lightrail {

/// In what slices NCCL passes on what goes over its trees and NVSwitches (v2.21.5-1, src/enqueue.cc,
/// computeCollChunkInfo). A lane of a relay stands for all of NCCL's channels on its rail and tree; a slice
/// is a chunk of each of them.

/// NCCL's channels of a group: two a rail, or those of one server.
[[nodiscard]] std::uint32_t channels_of(const NcclSettings& nccl, const GroupPlan& plan);

/// Bytes of a slice of one of `lanes` lanes of a tree: a step of the buffer of every channel. LL128 takes
/// smaller ones, halved until enough of them follow one another.
[[nodiscard]] std::int64_t tree_slice(const NcclSettings& nccl, const GroupPlan& plan, Protocol protocol,
                                      std::uint32_t lanes, std::int64_t bytes);

/// ... of an all-reduce in the NVSwitches: nvls-chunk, smaller where few would follow one another.
[[nodiscard]] std::int64_t nvls_slice(const NcclSettings& nccl, const GroupPlan& plan, std::uint32_t lanes,
                                      std::int64_t bytes);

/// What the threads of a lane's channels take to hand on a slice of `payload`, once and not for every slice:
/// the slices behind it follow at the rate of the line. Zero without a channel rate of the GPU kind.
[[nodiscard]] SimTime channel_time(const NcclSettings& nccl, const GroupPlan& plan, Protocol protocol,
                                   std::uint32_t lanes, std::int64_t payload);

}  // namespace lightrail
