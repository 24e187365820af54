#pragma once
#include <cstdint>
#include <vector>

namespace lightrail {

struct GroupPlan;

/// Indices into plan.members in the order in which NCCL sends to them in grouped sends and receives, `me`
/// first; with `is_receiving`, in which it receives. In round r the member that `me` sends to receives from
/// `me`.
///
/// The rounds of NCCL 2.22 to 2.28.3 (src/init.cc, comm->p2pSchedule): one difference of servers after
/// another, and for each one difference of places in the server after another, so that members of a server
/// begin with different ones. Differences are triangular numbers modulo the next power of two, without those
/// that are too large: 0, 1, 3, 2 of four. Where servers have different numbers of members, all count as one
/// server's. Earlier and later versions take servers, or groups of places, in another order and go through
/// places one by one. Members are in order of their ids, in NCCL of their ranks.
[[nodiscard]] std::vector<std::uint32_t> pair_order(const GroupPlan& plan, std::uint32_t me,
                                                    bool is_receiving);

}  // namespace lightrail
