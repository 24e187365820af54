#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/cli/run_command.hpp"
#include "workloads/generate/benchmark/nccl_tests_table.hpp"
#include "workloads/import/kineto/capture_comparison.hpp"
#include "workloads/job/operation_names.hpp"

namespace lightrail {

namespace {

CollectiveType type_of(const std::string& name) {
  for (const auto& [text, type] : collective_names())
    if (nccl_tests_name(type) == name) return type;
  return CollectiveType::none;
}

/// Element and root of the collective, which the summary does not keep.
const Op* find_op(const Model& model, CollectiveType type, std::int64_t bytes) {
  const auto* set = model.resource<ProgramSet>();
  if (!set) return nullptr;
  for (const Program& program : set->programs)
    for (const Op& op : program.ops)
      if (op.kind == OpKind::collective && op.collective == type && op.bytes == bytes) return &op;
  return nullptr;
}

}  // namespace

void print_benchmark(const Summary& summary, const Model& model, const CommandLine& line,
                     const MpiSession& mpi) {
  if (const auto* capture = model.resource<Capture>(); capture && mpi.rank() == 0) {
    try {
      std::string file = result_path(line, model);
      std::printf("\n%s", comparison_text(*capture, read_replay(*capture, file)).c_str());
    } catch (const InputErrors& missing) {
      std::fprintf(stderr, "warning: no comparison with the capture: %s\n", missing.what());
    }
  }
  if (line.command != Command::collective || mpi.rank() != 0) return;
  std::vector<CollectiveRow> rows;
  for (const CollectiveSummary& c : summary.collectives) {
    CollectiveRow row;
    row.collective = type_of(c.collective);
    if (row.collective == CollectiveType::none || row.collective == CollectiveType::barrier) continue;
    row.size_bytes = c.size_bytes;
    row.group_size = static_cast<std::uint32_t>(std::max<std::int64_t>(1, c.group_size));
    row.time_ps = c.median_ps;
    if (const Op* op = find_op(model, row.collective, c.size_bytes)) {
      row.element_bytes = op->element_bytes;
      row.root = op->root;
    }
    rows.push_back(row);
  }
  std::printf("\n%s", nccl_tests_table(rows).c_str());
}

}  // namespace lightrail
