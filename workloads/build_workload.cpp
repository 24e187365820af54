#include "workloads/build_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "engine/base/error.hpp"
#include "engine/model/address_book.hpp"
#include "engine/model/kind.hpp"
#include "engine/model/load_hint.hpp"
#include "engine/model/program_names.hpp"
#include "engine/scenario/units.hpp"
#include "network/circuits/regions.hpp"
#include "workloads/job/workload_context.hpp"

namespace lightrail {

namespace {

/// Endpoints of a component kind.
std::uint32_t endpoints_of(const Model& model, const AddressBook* book, const char* kind) {
  std::uint32_t count = 0;
  if (!book) return 0;
  for (std::size_t e = book->gpu_count; e < book->component_of.size(); ++e) {
    const auto& record = model.components[book->component_of[e].value];
    count += record.kind < model.kinds.size() && model.kinds[record.kind]->name == kind;
  }
  return count;
}

/// Memory of the smallest GPU of the clusters, as their catalogue entries say.
std::int64_t gpu_memory_of(const Element& root) {
  std::int64_t least = 0;
  for (const Element* cluster : root.children_named("cluster")) {
    const Element* server = cluster->child("server");
    const Element* gpu = server ? server->child("gpu") : nullptr;
    const Attribute* memory = gpu ? gpu->find("memory") : nullptr;
    Bytes bytes{};
    if (memory && parse_value(memory->value, bytes).empty() && bytes.value > 0 &&
        (least == 0 || bytes.value < least))
      least = bytes.value;
  }
  return least;
}

bool learns_gate(const Model& model) {
  const auto* regions = model.resource<Regions>();
  return regions && regions->predicts == Prediction::learned;
}

/// A controller waits until every GPU of a region has announced its next exchange; replicas make their
/// batches at different times. Only exchanges over circuits are announced.
void check_circuits(const Model& model, const ServingPlan& plan, const Element& workload, ErrorList& errors) {
  const auto* regions = model.resource<Regions>();
  if (!regions || !regions->is_controlled || regions->dimension != "ep") return;
  if (std::any_of(plan.pools.begin(), plan.pools.end(), [](const ServingPool& pool) { return pool.ep > 1; }))
    errors.add(workload.error(
        "an inference workload with ep > 1 cannot announce its exchanges to a controller of circuits"));
}

void read_iterations(const Element& workload, JobBuilder& job, ErrorList& errors) {
  const Attribute* text = workload.find("iterations");
  if (!text) return;
  std::uint32_t count = 0;
  std::string problem = parse_value(text->value, count);
  if (problem.empty() && count == 0) problem = "'0' is out of range (1 ...)";
  if (problem.empty())
    job.job().programs.iterations = count;
  else
    errors.add({text->file, text->line, fmt::format("<workload> attribute 'iterations': {}", problem)});
}

bool has_pipeline(const Job& job) {
  const auto pp = std::find(job.dimensions.begin(), job.dimensions.end(), "pp");
  if (pp == job.dimensions.end()) return false;
  const auto is_between_stages = [index = pp - job.dimensions.begin()](const Op& op) {
    return op.dimension == index;
  };
  const auto& programs = job.programs.programs;
  return std::any_of(programs.begin(), programs.end(), [&](const Program& program) {
    return std::any_of(program.ops.begin(), program.ops.end(), is_between_stages);
  });
}

void make_workload(const WorkloadRegistry& workloads, WorkloadContext& context) {
  if (!context.element.find("kind"))
    return context.errors.add(context.element.error("<workload> lacks the required attribute 'kind'"));
  if (const auto kind = workloads.of(&context.element)) return kind->make(context);
  context.add_error(context.element, "kind",
                    invalid_choice(context.element.find("kind")->value, workloads.names()));
}

struct Made {
  Job job;
  std::shared_ptr<ServingPlan> serving;
};

Made make(const Scenario& scenario, const WorkloadRegistry& kinds, const Model& model, ErrorList& errors) {
  LIGHTRAIL_EXPECT(model.resource<AlgorithmRegistry>() != nullptr);
  const AddressBook* book = model.resource<AddressBook>();
  std::uint32_t gpus = book ? book->gpu_count : 0;
  JobBuilder job(gpus);
  auto workloads = scenario.root.children_named("workload");
  const Element none;
  WorkloadContext context{workloads.empty() ? none : *workloads[0],
                          scenario,
                          gpus,
                          endpoints_of(model, book, "storage"),
                          endpoints_of(model, book, "host"),
                          gpu_memory_of(scenario.root),
                          *model.resource<AlgorithmRegistry>(),
                          job,
                          errors,
                          model.seed,
                          nullptr,
                          learns_gate(model)};
  read_groups(scenario.root.child("groups"), context);
  if (workloads.size() > 1)
    errors.add(workloads[1]->error(
        fmt::format("a second <workload> (the first is in line {})", workloads[0]->line)));
  if (workloads.empty()) return {job.take(), nullptr};  // an idle system
  if (gpus == 0)
    errors.add(workloads[0]->error("the system has no GPU to run the workload"));
  else
    make_workload(kinds, context);
  if (!context.serving) read_iterations(*workloads[0], job, errors);
  return {job.take(), context.serving};
}

}  // namespace

Job make_job(const Scenario& scenario, const WorkloadRegistry& workloads, const Model& model,
             ErrorList& errors) {
  Made made = make(scenario, workloads, model, errors);
  if (made.serving)
    errors.add(
        scenario.root.child("workload")
            ->error("an inference workload is no trace: what its GPUs execute depends on when batches end"));
  return std::move(made.job);
}

void build_workload(const Scenario& scenario, const WorkloadRegistry& workloads, Model& model,
                    ErrorList& errors) {
  std::size_t before = errors.size();
  auto [job, serving] = make(scenario, workloads, model, errors);
  if (serving) check_circuits(model, *serving, *scenario.root.child("workload"), errors);
  if (errors.size() > before) return;
  auto groups = std::make_shared<GroupTable>();
  for (auto& kind : job.groups) groups->add(std::move(kind), job.gpu_count);
  model.set_resource(std::make_shared<const LoadHint>(LoadHint{has_pipeline(job)}));
  auto first_name = static_cast<std::uint32_t>(model.names.size());
  auto first_dimension = static_cast<std::uint16_t>(model.dimensions.size());
  for (auto& program : job.programs.programs)
    for (Op& op : program.ops) {
      op.name += first_name;
      if (op.dimension != no_dimension)
        op.dimension = static_cast<std::uint16_t>(op.dimension + first_dimension);
    }
  model.names.insert(model.names.end(), job.names.begin(), job.names.end());
  model.dimensions.insert(model.dimensions.end(), job.dimensions.begin(), job.dimensions.end());
  if (!job.capture.ranks.empty()) model.set_resource(std::make_shared<const Capture>(std::move(job.capture)));
  model.set_resource<GroupTable>(std::move(groups));
  auto names = std::make_shared<ProgramNames>();
  for (const Program& program : job.programs.programs)
    names->programs.push_back({program.role, program.streams});
  names->program_of_gpu = job.programs.program_of_gpu;
  model.set_resource<ProgramNames>(names);
  if (serving) {
    serving->kv_dimension = static_cast<std::uint16_t>(serving->kv_dimension + first_dimension);
    // The program of GPUs that serve nothing.
    serving->programs.resize(job.programs.programs.size());
    model.set_resource<ServingPlan>(std::move(serving));
  }
  model.set_resource(std::make_shared<const ProgramSet>(std::move(job.programs)));
}

}  // namespace lightrail
