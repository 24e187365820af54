#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/id.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// GPUs that can stand for all others of a job, ascending: one of each class at least, and whoever one of
/// them cannot do without: partners of its sends and receives, all members of its exchanges with uneven
/// shares, and of its other groups a member of each class that is in them. `class_of` by GPU: GPUs of a class
/// execute the same program on the same hardware.
[[nodiscard]] std::vector<EndpointId> stand_ins(const ProgramSet& set, const GroupTable& groups,
                                                const std::vector<std::uint32_t>& class_of);

}  // namespace lightrail
