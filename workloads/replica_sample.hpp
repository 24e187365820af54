#pragma once
#include <memory>

#include "engine/model/replica_sample.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// What is simulated of a job with data-parallel replicas (GroupKind::holds_copies): GPUs that execute the
/// same program, at the same place in every other group, do the same work. Null where no two do.
[[nodiscard]] std::shared_ptr<ReplicaSample> replica_sample(const GroupTable& groups,
                                                            const ProgramSet& programs);

}  // namespace lightrail
