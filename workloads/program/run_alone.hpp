#pragma once
#include <vector>

#include "workloads/program/program.hpp"
#include "workloads/program/program_index.hpp"

namespace lightrail {

/// Which of the operations marked in `some` (by op) never run while another one of them does: the order of
/// streams, dependencies and communicators puts each of the others before or behind it. By op; false of what
/// is not marked. O(operations x streams).
[[nodiscard]] std::vector<bool> run_alone(const Program& program, const ProgramIndex& index,
                                          const std::vector<bool>& some);

}  // namespace lightrail
