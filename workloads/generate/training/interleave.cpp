#include "workloads/generate/training/interleave.hpp"

#include <utility>

#include "engine/base/error.hpp"

namespace lightrail {

namespace {

bool gives_way(const Op& op, Turn turn) {
  switch (turn) {
    case Turn::communication:
      return op.kind == OpKind::collective || op.kind == OpKind::recv;
    case Turn::all_to_all:
      return op.kind == OpKind::collective && op.collective == CollectiveType::all_to_all;
  }
  fail_contract("a turn ends somewhere", __FILE__, __LINE__);
}

}  // namespace

std::vector<std::uint32_t> interleave(Program& program, std::uint32_t first, std::uint32_t middle,
                                      Turn turn) {
  const auto end = static_cast<std::uint32_t>(program.ops.size());
  const std::vector<Op> ops(program.ops.begin() + first, program.ops.end());
  std::vector<std::uint32_t> moved(end - first);
  if (ops.empty()) return moved;
  const std::uint32_t before = ops.front().first_dependency;
  const std::vector<std::uint32_t> dependencies(program.dependencies.begin() + before,
                                                program.dependencies.end());
  program.ops.resize(first);
  program.dependencies.resize(before);
  std::uint32_t mine = first, mine_end = middle, other = middle, other_end = end;
  while (mine < mine_end || other < other_end) {
    if (mine == mine_end) std::swap(mine, other), std::swap(mine_end, other_end);
    Op op = ops[mine - first];
    const std::uint32_t* depends = dependencies.data() + (op.first_dependency - before);
    op.first_dependency = static_cast<std::uint32_t>(program.dependencies.size());
    for (std::uint32_t d = 0; d < op.dependency_count; ++d)
      program.dependencies.push_back(depends[d] < first ? depends[d] : moved[depends[d] - first]);
    moved[mine - first] = static_cast<std::uint32_t>(program.ops.size());
    program.ops.push_back(op);
    ++mine;
    if (gives_way(op, turn)) std::swap(mine, other), std::swap(mine_end, other_end);
  }
  return moved;
}

}  // namespace lightrail
