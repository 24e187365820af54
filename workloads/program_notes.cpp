#include "workloads/program_notes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/output_selection.hpp"
#include "workloads/job/job.hpp"

namespace lightrail {
namespace {

/// Rows of all programs, one program after the other.
struct Rows {
  std::shared_ptr<const ProgramSet> programs;
  std::vector<std::size_t> first_op{0};  ///< by program, and the total

  explicit Rows(std::shared_ptr<const ProgramSet> set) : programs(std::move(set)) {
    for (const Program& program : programs->programs)
      first_op.push_back(first_op.back() + program.ops.size());
  }
  /// Of row `row` which part, and where in it.
  static std::pair<std::size_t, std::size_t> at(const std::vector<std::size_t>& first, std::size_t row) {
    const auto after = std::upper_bound(first.begin(), first.end(), row);
    const auto program = static_cast<std::size_t>(after - first.begin()) - 1;
    return {program, row - first[program]};
  }
};

}  // namespace

bool records_all_operations(const Model& model, const ProgramSet& programs) {
  const auto* selection = model.resource<OutputSelection>();
  if (!selection || !model.tables) return false;
  const std::optional<TableId> ops = model.tables->find("ops");
  if (!ops) return false;
  for (std::size_t gpu = 0; gpu < programs.program_of_gpu.size(); ++gpu)
    if (!programs.programs[programs.program_of_gpu[gpu]].ops.empty() &&
        !selection->is_recorded(*ops, EndpointId{static_cast<std::uint32_t>(gpu)}))
      return false;
  return true;
}

void add_operations(const std::shared_ptr<const ProgramSet>& programs, ModelNotes& notes) {
  const auto rows = std::make_shared<const Rows>(programs);
  const auto column = [&](const char* name, std::function<std::int64_t(const Op&)> value) {
    return ModelNotes::Column{
        name, ModelNotes::Numbers{rows->first_op.back(), [rows, value = std::move(value)](std::size_t row) {
                                    const auto [program, op] = Rows::at(rows->first_op, row);
                                    return value(rows->programs->programs[program].ops[op]);
                                  }}};
  };
  ModelNotes::Folder ops{"programs/ops",
                         "what the rows of /tables/ops are; dependencies: rows of "
                         "/model/programs/dependencies, in order; written "
                         "where ops are recorded of all GPUs",
                         {}};
  ops.columns.push_back({"program", ModelNotes::Numbers{rows->first_op.back(), [rows](std::size_t row) {
                                                          return static_cast<std::int64_t>(
                                                              Rows::at(rows->first_op, row).first);
                                                        }}});
  ops.columns.push_back(column("kind", [](const Op& op) { return static_cast<std::int64_t>(op.kind); }));
  ops.columns.push_back(
      column("collective", [](const Op& op) { return static_cast<std::int64_t>(op.collective); }));
  ops.columns.push_back(column("stream", [](const Op& op) { return std::int64_t{op.stream}; }));
  ops.columns.push_back(column("name", [](const Op& op) { return std::int64_t{op.name}; }));
  ops.columns.push_back(column("dimension", [](const Op& op) {
    return op.dimension == no_dimension ? std::int64_t{-1} : std::int64_t{op.dimension};
  }));
  ops.columns.push_back(column("group", [](const Op& op) {
    return op.group.is_valid() ? std::int64_t{op.group.value} : std::int64_t{-1};
  }));
  ops.columns.push_back(column("peer", [](const Op& op) { return std::int64_t{op.peer}; }));
  ops.columns.push_back(column(
      "peer_is_offset", [](const Op& op) { return std::int64_t{op.peer_mode == PeerMode::index ? 0 : 1}; }));
  ops.columns.push_back(column("root", [](const Op& op) { return std::int64_t{op.root}; }));
  ops.columns.push_back(
      column("is_bare", [](const Op& op) { return std::int64_t{op.protocol == Protocol::bare ? 1 : 0}; }));
  ops.columns.push_back(
      column("dependencies", [](const Op& op) { return std::int64_t{op.dependency_count}; }));
  notes.folders.push_back(std::move(ops));

  std::size_t dependencies = 0;
  for (const Program& program : programs->programs)
    for (const Op& op : program.ops) dependencies += op.dependency_count;
  // By operation the first of its rows; only the rank that writes needs them.
  const auto first = std::make_shared<std::vector<std::size_t>>();
  const auto on = [rows, first](std::size_t row) {
    if (first->empty()) {
      first->push_back(0);
      for (const Program& program : rows->programs->programs)
        for (const Op& op : program.ops) first->push_back(first->back() + op.dependency_count);
    }
    const auto [place, dependency] = Rows::at(*first, row);
    const auto [program, op] = Rows::at(rows->first_op, place);
    const Program& p = rows->programs->programs[program];
    return std::int64_t{p.dependencies[p.ops[op].first_dependency + dependency]};
  };
  notes.folders.push_back({"programs/dependencies",
                           "on: place in its program of an operation that must have ended",
                           {{"on", ModelNotes::Numbers{dependencies, on}}}});
}

}  // namespace lightrail
