#pragma once
#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "workloads/collective/group_plan.hpp"
#include "workloads/collective/nccl_settings.hpp"

namespace lightrail {

/// Terms of NCCL's estimates (src/graph/tuning.cc, 2.21), for CollectiveAlgorithm::cost.

/// [s]
[[nodiscard]] double seconds(SimTime time);
/// [bit/s]
[[nodiscard]] double bits_of(BitRate rate);

/// `bits` [bit/s], at most what LL and LL128 move in one GPU of the group's kind.
[[nodiscard]] double within_limits(double bits, const NcclSettings& settings, const GroupPlan& plan,
                                   Protocol protocol);

/// ... of a tree, whose channels NCCL counts with less of LL128 over several servers.
[[nodiscard]] double within_tree_limits(double bits, const NcclSettings& settings, const GroupPlan& plan,
                                        Protocol protocol);

/// A step over the network of NCCL's constant `hop` [s], with what the adapter's plugin reports: in Simple
/// once more for the flush.
[[nodiscard]] double net_seconds(const GroupPlan& plan, Protocol protocol, SimTime hop);

/// What the rails carry of a reduction and broadcast on two trees over servers [bit/s]: more than two
/// servers: half of them, for inner nodes send twice.
[[nodiscard]] double tree_rails(const GroupPlan& plan);

/// `latency` [s] and `bytes` over `bits` [bit/s], which is left out where it is not known (0).
[[nodiscard]] double with_transfer(double latency, double bytes, double bits);

}  // namespace lightrail
