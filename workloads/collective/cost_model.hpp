#pragma once
#include "workloads/collective/group_plan.hpp"
#include "workloads/collective/nccl_settings.hpp"

namespace lightrail {

/// NCCL's estimate of a ring collective [s] (src/graph/tuning.cc, 2.21): latency + bytes / bandwidth, with
///   latency = base + (steps - inter) * hop(NVLink or PCIe) + inter * hop(net), inter = 2 servers
///   (all-reduce), servers; bandwidth = the whole rate of the rails (one server: of NVLink) x n / steps x
///   efficiency, LL at most ll_max_rate.
/// It chooses; what a collective then takes comes from its messages. Leaves out NCCL's per-channel limits and
/// the latency plateau of large rings.
double ring_seconds(const NcclSettings& settings, const GroupPlan& plan, CollectiveType type,
                    Protocol protocol, std::int64_t bytes);

/// What runs: the operation's own choice, else the settings', else the smallest ring_seconds (all-to-all:
/// direct).
struct Choice {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
};
Choice choose(const NcclSettings& settings, const GroupPlan& plan, const Op& op);

/// False for the algorithms that are named but not simulated (tree, nvls ...).
bool is_simulated(CollectiveType type, Algorithm algorithm);

/// Rails that a ring collective of so many bytes uses.
std::uint32_t ring_channels(const NcclSettings& settings, const GroupPlan& plan, Protocol protocol,
                            std::int64_t bytes);

}  // namespace lightrail
