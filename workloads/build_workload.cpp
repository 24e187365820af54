#include "workloads/build_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/model/load_hint.hpp"
#include "engine/model/model_notes.hpp"
#include "network/circuits/regions.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/job_notes.hpp"
#include "workloads/make_jobs.hpp"
#include "workloads/program_notes.hpp"

namespace lightrail {

namespace {

/// A controller waits until every GPU of a region has announced its next exchange; replicas make their
/// batches at different times. Only exchanges over circuits are announced.
void check_circuits(const Model& model, const ServingPlan& plan, const Element& workload, ErrorList& errors) {
  const auto* regions = model.resource<Regions>();
  if (!regions || !regions->is_controlled || regions->dimension != "ep") return;
  if (std::any_of(plan.pools.begin(), plan.pools.end(), [](const ServingPool& pool) { return pool.ep > 1; }))
    errors.add(workload.error(
        "an inference workload with ep > 1 cannot announce its exchanges to a controller of circuits"));
}

/// GPUs that users cannot reach. Every replica gets prompts or sends tokens, of one that only prefills the
/// first.
void check_users(const Model& model, const ServingPlan& plan, const Element& workload, ErrorList& errors) {
  const auto* book = model.resource<AddressBook>();
  if (!book || book->gateway_count == 0) return;
  for (const ServingPool& pool : plan.pools)
    for (std::uint32_t r = 0; r < pool.replicas; ++r)
      for (const EndpointId gpu : {pool.prompt_gpu(r), pool.token_gpu(r)}) {
        if (book->of(NicRole::frontend)[gpu].lid.is_valid()) continue;
        return errors.add(workload.error(fmt::format(
            "<users> do not reach {}, which serves them: its server has no NIC of role frontend (expected "
            "frontend-nics of the <server>)",
            model.component_name(book->component_of[gpu.value]))));
      }
}

bool has_pipeline(const Job& job) {
  const auto pp = std::find_if(job.dimensions.begin(), job.dimensions.end(),
                               [](const std::string& name) { return name == "pp" || name.ends_with(".pp"); });
  if (pp == job.dimensions.end()) return false;
  const auto is_between_stages = [index = pp - job.dimensions.begin()](const Op& op) {
    return op.dimension == index;
  };
  const auto& programs = job.programs.programs;
  return std::any_of(programs.begin(), programs.end(), [&](const Program& program) {
    return std::any_of(program.ops.begin(), program.ops.end(), is_between_stages);
  });
}

/// Servers that an all-to-all of the job goes over at most, by the groups of GPU 0.
std::uint32_t exchange_servers(const GroupTable& groups, const ProgramSet& programs,
                               const AddressBook* book) {
  std::set<std::uint32_t> kinds;
  for (const Program& program : programs.programs)
    for (const Op& op : program.ops)
      if (op.collective == CollectiveType::all_to_all) kinds.insert(op.group.value);
  std::size_t most = 1;
  for (const std::uint32_t kind : kinds) {
    const GroupView group = groups.group_of(GroupKindId{static_cast<std::uint16_t>(kind)}, EndpointId{0});
    std::set<std::uint32_t> servers;
    for (std::uint32_t i = 0; i < group.size; ++i)
      servers.insert(book->endpoints[group.member(i).value].server);
    most = std::max(most, servers.size());
  }
  return static_cast<std::uint32_t>(most);
}

}  // namespace

Job make_job(const Scenario& scenario, const WorkloadRegistry& workloads, const Model& model,
             ErrorList& errors) {
  MadeJobs made = make_jobs(scenario, workloads, model, errors);
  const Element* workload = scenario.root.child("workload");
  if (made.serving)
    errors.add(workload->error(
        "an inference workload is no trace: what its GPUs execute depends on when batches end"));
  else if (!made.placed.empty())
    errors.add(workload->error("several jobs are no trace: the file has no place for when each begins"));
  return std::move(made.job);
}

namespace {

/// Names and dimensions of the job's operations are its own indices: they follow those of the model.
void renumber(ProgramSet& programs, const Model& model) {
  const auto first_name = static_cast<std::uint32_t>(model.names.size());
  const auto first_dimension = static_cast<std::uint16_t>(model.dimensions.size());
  for (Program& program : programs.programs)
    for (Op& op : program.ops) {
      op.name += first_name;
      if (op.dimension != no_dimension)
        op.dimension = static_cast<std::uint16_t>(op.dimension + first_dimension);
    }
}

}  // namespace

ModelPart build_workload(const Scenario& scenario, const WorkloadRegistry& workloads, const Model& model,
                         ErrorList& errors) {
  const std::size_t before = errors.size();
  auto [job, placed, serving, serving_element] = make_jobs(scenario, workloads, model, errors);
  if (serving) check_circuits(model, *serving, *serving_element, errors);
  if (serving) check_users(model, *serving, *serving_element, errors);
  if (errors.size() > before) return {};
  auto groups = std::make_shared<GroupTable>();
  for (auto& kind : job.groups) groups->add(std::move(kind), job.gpu_count);
  ModelPart part;
  part.resources.add(std::make_shared<const LoadHint>(
      LoadHint{has_pipeline(job), exchange_servers(*groups, job.programs, model.resource<AddressBook>())}));
  renumber(job.programs, model);
  part.names = std::move(job.names);
  part.dimensions = std::move(job.dimensions);
  const Element* workload = scenario.root.child("workload");
  const Attribute* kind = workload ? workload->find("kind") : nullptr;
  const char* about = kind && kind->value == "trace" ? "trace" : "plan";
  for (std::string& note : job.notes) part.remarks.push_back({about, std::move(note)});
  if (!job.capture.ranks.empty()) part.resources.add(std::make_shared<const Capture>(std::move(job.capture)));
  auto notes = notes_of(*groups, job.programs);
  if (!placed.empty()) add_jobs(placed, job.programs, notes);
  part.resources.add<GroupTable>(std::move(groups));
  if (serving) {
    for (std::uint16_t* dimension : {&serving->kv_dimension, &serving->users.dimension})
      *dimension = static_cast<std::uint16_t>(*dimension + model.dimensions.size());
    // The program of GPUs that serve nothing.
    serving->programs.resize(job.programs.programs.size());
    part.resources.add<ServingPlan>(std::move(serving));
  }
  const auto programs = std::make_shared<const ProgramSet>(std::move(job.programs));
  // What an inference job executes depends on its batches.
  if (!part.resources.find<ServingPlan>() && records_all_operations(model, *programs))
    add_operations(programs, notes);
  part.resources.add(std::make_shared<const ModelNotes>(std::move(notes)));
  part.resources.add(programs);
  return part;
}

}  // namespace lightrail
