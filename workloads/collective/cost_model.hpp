#pragma once
#include <cstdint>

#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/collective/group_plan.hpp"
#include "workloads/collective/nccl_settings.hpp"

namespace lightrail {

/// What runs: the operation's own choice, else the settings' where the collective has it and the group can,
/// else the algorithm and protocol of the smallest cost(), the first of equals. `op` is a collective that
/// prepare_execution() has accepted.
struct Choice {
  Algorithm algorithm = Algorithm::auto_select;
  Protocol protocol = Protocol::simple;
};
[[nodiscard]] Choice choose(const AlgorithmRegistry& algorithms, const NcclSettings& settings,
                            const GroupPlan& plan, const Op& op);

/// What a ring's start and steps take of their constants. NCCL counts ring-plateau times as much for
/// all-reduces of Simple over servers from 64 B a member and channel on; what a GPU kind has measured has
/// that in it.
[[nodiscard]] double ring_scale(const NcclSettings& settings, const GroupPlan& plan, CollectiveType type,
                                Protocol protocol, std::int64_t bytes);
/// ... as NCCL's estimate has it, whatever is measured.
[[nodiscard]] double ring_plateau(const NcclSettings& settings, const GroupPlan& plan, CollectiveType type,
                                  Protocol protocol, std::int64_t bytes);

/// Rails that a collective of so many bytes uses.
[[nodiscard]] std::uint32_t ring_channels(const NcclSettings& settings, const GroupPlan& plan,
                                          Protocol protocol, std::int64_t bytes);

}  // namespace lightrail
