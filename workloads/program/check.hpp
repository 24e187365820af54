#pragma once
#include <string>
#include <vector>

#include "engine/scenario/element.hpp"
#include "workloads/program/algorithm_names.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// What the programs of a job must agree on, found before the run: the members of every group run the same
/// collectives in the same order (type, bytes, root, algorithm, protocol), every collective has a group,
/// every send meets a recv of the same bytes, roots and peers are in the group, split matrices fit the group.
/// Each program is also checked by itself (check_program). `names`: Model::names; `algorithms`: for the
/// messages. Cost: O(operations x different tuples of roles), plus O(GPUs).
void check_programs(const ProgramSet& programs, const GroupTable& groups,
                    const std::vector<std::string>& names, const AlgorithmNames& algorithms,
                    ErrorList& errors);

}  // namespace lightrail
