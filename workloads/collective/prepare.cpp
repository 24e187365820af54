#include "workloads/collective/prepare.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/counted.hpp"
#include "engine/base/error.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/collective/group_plan.hpp"
#include "workloads/collective/io_endpoints.hpp"
#include "workloads/collective/nccl_settings.hpp"
#include "workloads/program/algorithm_names.hpp"
#include "workloads/program/check.hpp"
#include "workloads/program/collective_names.hpp"
#include "workloads/program/program_index.hpp"

namespace lightrail {
namespace {

std::string texts_of(const AlgorithmNames& algorithms) {
  std::vector<std::string> texts;
  for (const auto& [name, id] : algorithms) texts.push_back(name);
  return fmt::format("one of {}", fmt::join(texts, ", "));
}

/// Algorithms asked for by name that the group of some GPU cannot run; one complaint an operation.
void check_hindrances(const ProgramSet& programs, const AlgorithmRegistry& algorithms,
                      const GroupPlans& plans, const GroupTable& groups,
                      const std::vector<std::string>& names, ErrorList& errors) {
  for (std::uint32_t p = 0; p < programs.programs.size(); ++p) {
    const Program& program = programs.programs[p];
    for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
      const Op& op = program.ops[i];
      if (op.kind != OpKind::collective || op.algorithm == Algorithm::auto_select) continue;
      for (std::uint32_t gpu = 0; gpu < programs.program_of_gpu.size(); ++gpu) {
        if (programs.program_of_gpu[gpu] != p || groups.group_of(op.group, EndpointId{gpu}).size < 2)
          continue;
        const GroupPlan& plan = plans.of(op.group, EndpointId{gpu});
        const auto why = algorithms[op.algorithm].obstacle(plan, op);
        if (!why) continue;
        errors.add({"", 0,
                    fmt::format("{}: algorithm '{}' {}; the group of gpu {} has {} GPUs in {}",
                                describe_op(program, i, names), name_of(algorithms.names(), op.algorithm),
                                *why, gpu, plan.size(), counted(plan.servers(), "server"))});
        break;
      }
    }
  }
}

/// Where <nccl algorithm=""> names one: how many collectives it does not run, and why the first of them.
void remark_usual_algorithm(const ProgramSet& programs, const AlgorithmRegistry& algorithms,
                            const NcclSettings& settings, const GroupPlans& plans, const GroupTable& groups,
                            ModelPart& part) {
  if (settings.algorithm == Algorithm::auto_select) return;
  const CollectiveAlgorithm& usual = algorithms[settings.algorithm];
  std::vector<bool> is_seen(programs.programs.size());
  std::size_t count = 0, others = 0;
  std::string why;
  for (std::uint32_t gpu = 0; gpu < programs.program_of_gpu.size(); ++gpu) {
    if (is_seen[programs.program_of_gpu[gpu]]) continue;
    is_seen[programs.program_of_gpu[gpu]] = true;
    for (const Op& op : programs.programs[programs.program_of_gpu[gpu]].ops) {
      if (op.kind != OpKind::collective || op.algorithm != Algorithm::auto_select ||
          groups.group_of(op.group, EndpointId{gpu}).size < 2)
        continue;
      ++count;
      const bool is_served = usual.serves(op.collective);
      const auto obstacle =
          is_served ? usual.obstacle(plans.of(op.group, EndpointId{gpu}), op) : std::optional<std::string>();
      if (is_served && !obstacle) continue;
      ++others;
      if (why.empty())
        why = fmt::format("{}: {}", collective_name(op.collective),
                          obstacle.value_or("not one of its collectives"));
    }
  }
  if (others > 0)
    part.remarks.push_back(
        {"collectives", fmt::format("algorithm '{}' of <nccl> is not used for {} of {} collectives of the "
                                    "programs, which NCCL's choice runs ({})",
                                    usual.name(), others, count, why)});
}

bool uses_storage(const Op& op) {
  return op.kind == OpKind::storage_read || op.kind == OpKind::storage_write;
}
/// Of the kind that its peer mode asks for.
bool has_server(const Op& op, std::size_t all, std::uint32_t frontend) {
  return op.peer_mode == PeerMode::index ||
         (op.peer_mode == PeerMode::frontend ? frontend > 0 : all > frontend);
}

bool can_serve(const AlgorithmRegistry& algorithms, const Op& op) {
  return op.algorithm == Algorithm::auto_select ||
         (algorithms.contains(op.algorithm) && algorithms[op.algorithm].serves(op.collective));
}

/// What only the whole system shows: algorithms, storage servers and hosts that exist.
void check_against_system(const Model& model, const ProgramSet& programs, const IoEndpoints& io,
                          ErrorList& errors) {
  const auto& book = *model.resource<AddressBook>();
  const auto& algorithms = *model.resource<AlgorithmRegistry>();
  for (const Program& program : programs.programs)
    for (std::uint32_t i = 0; i < program.ops.size(); ++i) {
      const Op& op = program.ops[i];
      auto complain = [&](const std::string& what) {
        errors.add({"", 0, describe_op(program, i, model.names) + ": " + what});
      };
      if (op.kind == OpKind::collective && !can_serve(algorithms, op))
        complain(fmt::format("algorithm '{}' is not simulated for this collective ({})",
                             name_of(algorithms.names(), op.algorithm),
                             texts_of(algorithms.names_serving(op.collective))));
      if (uses_storage(op) && (op.peer < 0 || static_cast<std::size_t>(op.peer) >= io.storage.size()))
        complain(fmt::format("storage server {} does not exist (there are {})", op.peer, io.storage.size()));
      else if (uses_storage(op) && !has_server(op, io.storage.size(), book.frontend_storage))
        complain(op.peer_mode == PeerMode::frontend ? "there is no storage server on the front end"
                                                    : "all storage servers stand on the front end");
      if (op.kind == OpKind::host_copy && op.peer != 0 && op.peer != 1)
        complain(fmt::format("host copy direction {} (0: to the host, 1: to the GPU)", op.peer));
    }
  std::vector<bool> copies;
  for (const Program& program : programs.programs) {
    bool any = false;
    for (const Op& op : program.ops) any = any || op.kind == OpKind::host_copy || op.io != IoMode::own;
    copies.push_back(any);
  }
  for (std::uint32_t gpu = 0; gpu < programs.program_of_gpu.size() && gpu < book.gpu_count; ++gpu)
    if (copies[programs.program_of_gpu[gpu]] && !io.host_of(book[EndpointId{gpu}].server).is_valid()) {
      errors.add({"", 0,
                  fmt::format("program '{}' of gpu {} copies to its host, but its server has none",
                              programs.programs[programs.program_of_gpu[gpu]].role, gpu)});
      return;
    }
}

}  // namespace

ModelPart prepare_execution(const Model& model, ErrorList& errors) {
  const auto* programs = model.resource<ProgramSet>();
  const auto* book = model.resource<AddressBook>();
  if (!programs || !book) return {};
  const auto* algorithms = model.resource<AlgorithmRegistry>();
  const auto* groups = model.resource<GroupTable>();
  LIGHTRAIL_EXPECT(algorithms && groups && model.resource<NcclSettings>());
  const std::size_t before = errors.size();
  if (programs->program_of_gpu.size() > book->gpu_count)
    errors.add({"", 0,
                fmt::format("the job has programs for {} GPUs, the system has {}",
                            programs->program_of_gpu.size(), book->gpu_count)});
  if (errors.size() > before) return {};
  check_programs(*programs, *groups, model.names, algorithms->names(), errors);
  auto io = std::make_shared<const IoEndpoints>(model);
  if (errors.size() == before) check_against_system(model, *programs, *io, errors);
  if (errors.size() > before) return {};

  auto indexes = std::make_shared<ProgramIndexes>();
  for (const Program& program : programs->programs) indexes->of.push_back(make_program_index(program));
  auto plans = std::make_shared<const GroupPlans>(model);
  check_hindrances(*programs, *algorithms, *plans, *groups, model.names, errors);
  if (errors.size() > before) return {};
  ModelPart part;
  remark_usual_algorithm(*programs, *algorithms, *model.resource<NcclSettings>(), *plans, *groups, part);
  part.resources.add<GroupPlans>(std::move(plans));
  part.resources.add<ProgramIndexes>(std::move(indexes));
  part.resources.add<IoEndpoints>(std::move(io));
  return part;
}

}  // namespace lightrail
