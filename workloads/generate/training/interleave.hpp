#pragma once
#include <cstdint>
#include <vector>

#include "workloads/program/program.hpp"

namespace lightrail {

/// After what one run of operations gives way to the other.
enum class Turn : std::uint8_t {
  communication,  ///< after every collective or receive
  all_to_all      ///< after exchanges of experts' tokens alone: what else communicates hides nothing
};

/// Reorders two runs of operations that do not depend on each other, [first, middle) and [middle, end of
/// `program`): after a communication of one (`turn`) comes the other's turn, up to its next one, so that on
/// shared streams each run's kernels lie beside the other's communication. Within a run the order stays. All
/// members of a group that execute equal programs still agree on the order of their collectives. Returns the
/// new index of operation first + i.
[[nodiscard]] std::vector<std::uint32_t> interleave(Program& program, std::uint32_t first,
                                                    std::uint32_t middle, Turn turn);

}  // namespace lightrail
