#include "app/cli/run_identity.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/cli/run_command.hpp"
#include "engine/base/hash.hpp"
#include "engine/base/whole_file.hpp"
#include "engine/checkpoint/checkpoint_folder.hpp"
#include "engine/model/state_io.hpp"
#include "engine/record/provenance.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"
#include "workloads/program/serving.hpp"

namespace lightrail {
namespace {

void put_groups(StateWriter& out, const GroupTable& groups) {
  for (std::uint32_t k = 0; k < groups.kind_count(); ++k) {
    const GroupKind& kind = groups.kind(GroupKindId{k});
    out.put(kind.name), out.put(kind.digits), out.put(kind.listed);
  }
}

void put_op(StateWriter& out, const Op& op) {
  static_assert(sizeof(Op) == 64);  // a member more belongs here too
  out.put(op.kind), out.put(op.collective), out.put(op.algorithm), out.put(op.protocol),
      out.put(op.peer_mode);
  out.put(op.stream), out.put(op.dimension), out.put(op.name), out.put(op.group), out.put(op.bytes);
  out.put(op.duration), out.put(op.shape), out.put(op.peer), out.put(op.first_dependency);
  out.put(op.dependency_count), out.put(op.split), out.put(op.element_bytes), out.put(op.root);
  out.put(op.io), out.put(op.every), out.put(op.turn), out.put(op.is_once), out.put(op.restores);
}

void put_programs(StateWriter& out, const ProgramSet& set) {
  for (const Program& program : set.programs) {
    out.put(program.role), out.put(program.streams), out.put(program.dependencies), out.put(program.next);
    for (const Op& op : program.ops) put_op(out, op);
  }
  out.put(set.program_of_gpu), out.put(set.iterations), out.put(set.stepped_iterations);
  for (const JobInfo& job : set.jobs) out.put(job.name), out.put(job.start), out.put(job.iterations);
  for (const KernelShape& s : set.shapes)
    out.put(std::vector<std::int64_t>{static_cast<int>(s.kind), static_cast<int>(s.dtype),
                                      static_cast<int>(s.scaling), s.causal, s.backward, s.batch, s.m, s.n,
                                      s.k, s.heads, s.kv_heads, s.head_dim, s.bytes});
  for (const SplitMatrix& split : set.splits) {
    out.put(split.size), out.put(split.share);
    if (!split.bytes.empty()) out.put(split.bytes);
  }
}

void put_requests(StateWriter& out, const std::vector<ServingRequest>& requests) {
  out.put(requests.size());
  for (const ServingRequest& r : requests) out.put(r.arrival), out.put(r.prompt), out.put(r.output);
}

void check_stop_at(const CommandLine& line, const CheckpointFile& file) {
  if (line.run.stop_at <= file.time())
    throw InputErrors(InputError{file.path(), 0,
                                 fmt::format("the checkpoint is at {}, not before the end of the run ({})",
                                             format_time(file.time()), format_time(line.run.stop_at))});
}

}  // namespace

CheckpointIdentity run_identity(const Scenario& scenario, const Model& model, const CommandLine& line) {
  StateWriter out;
  out.put(scenario.resolved_xml), out.put(model.seed);
  for (const std::string& plugin : line.plugins) out.put(read_whole(plugin));
  for (const std::string& file : line.algorithm_files) out.put(read_whole(file));
  if (const auto* groups = model.resource<GroupTable>()) put_groups(out, *groups);
  if (const auto* programs = model.resource<ProgramSet>()) put_programs(out, *programs);
  if (const auto* serving = model.resource<ServingPlan>()) put_requests(out, serving->requests);
  return {fmt::format("{} ({})", software_version(), git_describe()), checksum(out.bytes())};
}

std::unique_ptr<CheckpointFile> prepare_checkpoints(const Scenario& scenario, const Model& model,
                                                    CommandLine& line, const MpiSession& mpi) {
  return on_every_rank(mpi, [&] {
    CheckpointPlan& plan = line.run.checkpoint;
    if (plan.folder.empty()) plan.folder = result_path(line, model) + ".checkpoint";
    if (plan.folder == "none") plan.folder.clear();
    plan.identity = run_identity(scenario, model, line);
    std::unique_ptr<CheckpointFile> file;
    if (line.resume == "auto") line.resume = has_checkpoint(plan.folder) ? plan.folder : "";
    if (line.resume.empty()) return file;
    file = std::make_unique<CheckpointFile>(find_checkpoint(line.resume));
    const std::size_t count = model.components.size(), ranks = static_cast<std::size_t>(mpi.size()),
                      rank = static_cast<std::size_t>(mpi.rank());
    file->check_is_for(plan.identity, count);
    check_stop_at(line, *file);
    file->check_components(count * rank / ranks, count * (rank + 1) / ranks);
    line.run.resume = file.get();
    return file;
  });
}

}  // namespace lightrail
