#include "workloads/job_maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "engine/model/kind.hpp"
#include "engine/scenario/units.hpp"
#include "network/circuits/regions.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/job/step_over.hpp"
#include "workloads/job/workload_context.hpp"
#include "workloads/restart/restart_spec.hpp"

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

/// Every GPU has a <host> with the times of its launches: those of a <graph> have none.
bool has_launch_times(const Element& root) {
  const auto clusters = root.children_named("cluster");
  const Element* graph = root.child("graph");
  if (clusters.empty() || (graph && graph->child("gpu"))) return false;
  return std::all_of(clusters.begin(), clusters.end(), [](const Element* cluster) {
    const Element* server = cluster->child("server");
    const Element* host = server ? server->child("host") : nullptr;
    const Attribute* launch = host ? host->find("launch") : nullptr;
    SimTime time{};
    return launch && parse_value(launch->value, time).empty() && time > SimTime{0};
  });
}

bool learns_gate(const Model& model) {
  const auto* regions = model.resource<Regions>();
  return regions && regions->predicts == Prediction::learned;
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

void make_workload(const WorkloadRegistry& workloads, WorkloadContext& context) {
  if (!context.element.find("kind"))
    return context.errors.add(context.element.error("<workload> lacks the required attribute 'kind'"));
  if (const auto kind = workloads.of(&context.element)) return kind->make(context);
  context.add_error(context.element, "kind",
                    invalid_choice(context.element.find("kind")->value, workloads.names()));
}

}  // namespace

JobMaker::JobMaker(const Scenario& scenario, const WorkloadRegistry& kinds, const Model& model,
                   ErrorList& errors)
    : scenario_(scenario), kinds_(kinds), model_(model), errors_(errors) {
  LIGHTRAIL_EXPECT(model.resource<AlgorithmRegistry>() != nullptr);
}

WorkloadJob JobMaker::make(const Element* workload, const Element* groups,
                           const std::vector<std::uint32_t>& gpus) const {
  const auto* book = model_.resource<AddressBook>();
  std::vector<std::uint32_t> servers;
  for (const std::uint32_t gpu : gpus) servers.push_back((*book)[EndpointId{gpu}].server);
  const auto count = static_cast<std::uint32_t>(gpus.size());
  JobBuilder job(count);
  const Element none;
  WorkloadContext context{workload ? *workload : none,
                          scenario_,
                          count,
                          {endpoints_of(model_, book, "storage"), book ? book->frontend_storage : 0},
                          endpoints_of(model_, book, "host"),
                          gpu_memory_of(scenario_.root),
                          std::move(servers),
                          has_launch_times(scenario_.root),
                          *model_.resource<AlgorithmRegistry>(),
                          job,
                          errors_,
                          model_.seed,
                          nullptr,
                          learns_gate(model_),
                          model_.resource<JobRestartSpec>() != nullptr,
                          book ? book->gateway_count : 0};
  read_groups(groups, context);
  if (!workload) return {job.take(), nullptr};  // an idle system
  if (count == 0)
    errors_.add(workload->error("the system has no GPU to run the workload"));
  else
    make_workload(kinds_, context);
  if (!context.serving) {
    read_iterations(*workload, job, errors_);
    const Attribute* kind = workload->find("kind");
    step_over_iterations(*workload, kind && kind->value == "training", job.job().programs, errors_);
    if (const std::string note = stepped_iterations_note(*workload, job.job().programs); !note.empty())
      job.note(note);
  }
  return {job.take(), context.serving};
}

}  // namespace lightrail
