#include "workloads/program/iterations.hpp"

#include <fmt/format.h>

#include <utility>

#include "workloads/program/program_index.hpp"

namespace lightrail {
namespace {

/// Whether two kernels differ in sizes alone.
bool is_alike(const KernelShape& a, const KernelShape& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.scaling == b.scaling && a.causal == b.causal &&
         a.backward == b.backward;
}

bool may_follow(const ProgramSet& set, const Op& op, Op next) {
  if (op.kind == OpKind::collective) next.bytes = op.bytes;
  if (op.collective == CollectiveType::all_to_all) next.split = op.split, next.root = op.root;
  if (is_timed_from_shape(op)) {
    if (!is_timed_from_shape(next) || !is_alike(set.shapes[op.shape], set.shapes[next.shape])) return false;
    next.shape = op.shape;
    if (op.split != 0 && next.split != 0) next.split = op.split;
  }
  return op.kind == next.kind && op.collective == next.collective && op.algorithm == next.algorithm &&
         op.protocol == next.protocol && op.peer_mode == next.peer_mode && op.stream == next.stream &&
         op.dimension == next.dimension && op.name == next.name && op.group == next.group &&
         op.bytes == next.bytes && op.duration == next.duration && op.shape == next.shape &&
         op.peer == next.peer && op.io == next.io && op.every == next.every && op.turn == next.turn &&
         op.is_once == next.is_once && op.restores == next.restores &&
         op.first_dependency == next.first_dependency && op.dependency_count == next.dependency_count &&
         op.split == next.split && op.element_bytes == next.element_bytes && op.root == next.root &&
         op.host_work == next.host_work;
}

/// Why the `next` of `program` cannot follow it, or "".
std::string obstacle(const ProgramSet& set, std::uint32_t program, const std::vector<std::string>& names) {
  const Program& first = set.programs[program];
  if (first.next == itself) return "";
  if (first.next <= program || first.next >= set.programs.size())
    return fmt::format("program {} '{}' goes on with program {} (a later one of {})", program, first.role,
                       first.next, set.programs.size());
  const Program& next = set.programs[first.next];
  if (first.streams != next.streams || first.dependencies != next.dependencies ||
      first.ops.size() != next.ops.size() || first.stepped_over != next.stepped_over)
    return fmt::format(
        "programs '{}' and '{}' cannot follow each other: their operations differ in number or "
        "order",
        first.role, next.role);
  for (std::uint32_t i = 0; i < first.ops.size(); ++i)
    if (!may_follow(set, first.ops[i], next.ops[i]))
      return fmt::format(
          "{} cannot be followed by that of program '{}': they differ in more than the load of "
          "experts",
          describe_op(first, i, names), next.role);
  return "";
}

}  // namespace

std::uint32_t program_in(const ProgramSet& set, std::uint32_t program, std::uint32_t iteration) {
  for (std::uint32_t i = 0; i < iteration && set.programs[program].next != itself; ++i)
    program = set.programs[program].next;
  return program;
}

bool go_on(const ProgramSet& set, std::vector<std::uint32_t>& programs) {
  bool has_moved = false;
  for (std::uint32_t& program : programs) {
    const std::uint32_t next = program_after(set, program);
    has_moved |= next != program;
    program = next;
  }
  return has_moved;
}

void check_next(const ProgramSet& set, const std::vector<std::string>& names, ErrorList& errors) {
  for (std::uint32_t p = 0; p < set.programs.size(); ++p)
    if (std::string problem = obstacle(set, p, names); !problem.empty())
      errors.add({"", 0, std::move(problem)});
}

}  // namespace lightrail
