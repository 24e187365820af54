#pragma once
#include <cstdint>
#include <vector>

namespace lightrail {

struct GroupPlan;

/// Members by index in the order in which NCCL sends to them in grouped sends and receives, `me` first; with
/// `is_receiving`, from which it receives. In round r the member that `me` sends to receives from `me`.
///
/// NCCL's rounds (comm->p2pSchedule, since 2.12): a difference of servers after the other and within it one
/// of places in the server after the other, so that members of a server begin with different ones. They go in
/// triangular numbers modulo the next power of two, those too large left out: 0, 1, 3, 2 of four. Where
/// servers have different numbers of members, all members count as one server's.
[[nodiscard]] std::vector<std::uint32_t> pair_order(const GroupPlan& plan, std::uint32_t me,
                                                    bool is_receiving);

}  // namespace lightrail
