#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/scenario/element.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// A GPU executes its program once an iteration. Where a program names a `next` one, that one is the next
/// iteration's: the same operations, of other sizes. Both have the same streams, dependencies and operations
/// but for what an uneven gate decides: bytes of collectives, split and root of all-to-alls, sizes and split
/// of kernels that are timed from their shapes.

/// The program of the iteration after the one that executes `program`.
[[nodiscard]] inline std::uint32_t program_after(const ProgramSet& set, std::uint32_t program) {
  const std::uint32_t next = set.programs[program].next;
  return next == itself ? program : next;
}
/// The program of iteration `iteration` of who begins with `program`.
[[nodiscard]] std::uint32_t program_in(const ProgramSet& set, std::uint32_t program, std::uint32_t iteration);
/// In place of each program the one of the next iteration; false where all are executed again.
[[nodiscard]] bool go_on(const ProgramSet& set, std::vector<std::uint32_t>& programs);

/// Every program that what it names `next` cannot follow goes to `errors`. The programs are those that
/// check_program() takes.
void check_next(const ProgramSet& set, const std::vector<std::string>& names, ErrorList& errors);

}  // namespace lightrail
