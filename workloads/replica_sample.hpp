#pragma once
#include <memory>

#include "engine/model/replica_sample.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// What is simulated of a job whose replicas stand for others (GroupKind::stands_for): GPUs that execute the
/// same program, at the same place in every group that is simulated whole, do the same work. Null where none
/// stands for another, or no two do the same.
[[nodiscard]] std::shared_ptr<ReplicaSample> replica_sample(const GroupTable& groups,
                                                            const ProgramSet& programs);

}  // namespace lightrail
