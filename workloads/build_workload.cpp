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
#include "engine/model/kind.hpp"
#include "engine/model/load_hint.hpp"
#include "engine/model/model_notes.hpp"
#include "engine/scenario/units.hpp"
#include "network/circuits/regions.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/job/workload_context.hpp"
#include "workloads/program_notes.hpp"

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

std::vector<std::uint32_t> servers_of(const AddressBook* book) {
  std::vector<std::uint32_t> servers;
  for (std::uint32_t gpu = 0; book && gpu < book->gpu_count; ++gpu)
    servers.push_back((*book)[EndpointId{gpu}].server);
  return servers;
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
  const auto* book = model.resource<AddressBook>();
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
                          servers_of(book),
                          has_launch_times(scenario.root),
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

/// Who is in which group: of regular kinds three digits (GroupKind::Digit), of listed kinds a row a member.
void add_members(const GroupTable& groups, ModelNotes& notes) {
  std::vector<std::int64_t> counts[3], strides[3], kinds, lists, members;
  for (std::uint32_t k = 0; k < groups.kind_count(); ++k) {
    const GroupKind& kind = groups.kind(GroupKindId{k});
    for (std::size_t d = 0; d < 3; ++d) {
      const bool has_digit = d < kind.digits.size();
      counts[d].push_back(has_digit ? kind.digits[d].count : 1);
      strides[d].push_back(has_digit ? kind.digits[d].stride : 1);
    }
    for (std::size_t list = 0; list < kind.listed.size(); ++list)
      for (const EndpointId member : kind.listed[list])
        kinds.push_back(k), lists.push_back(static_cast<std::int64_t>(list)), members.push_back(member.value);
  }
  notes.folders.push_back(
      {"group_digits",
       "row i is group kind i: the group of a GPU g is that of g minus the sum of "
       "(g / stride modulo count) * stride; kinds with rows in group_members are listed there",
       {{"count0", std::move(counts[0])},
        {"stride0", std::move(strides[0])},
        {"count1", std::move(counts[1])},
        {"stride1", std::move(strides[1])},
        {"count2", std::move(counts[2])},
        {"stride2", std::move(strides[2])}}});
  notes.folders.push_back(
      {"group_members",
       "of group kinds whose groups are listed",
       {{"group_kind", std::move(kinds)}, {"list", std::move(lists)}, {"gpu", std::move(members)}}});
}

ModelNotes notes_of(const GroupTable& groups, const ProgramSet& programs) {
  ModelNotes notes;
  std::vector<std::string> names, roles, streams;
  std::vector<std::int64_t> program_of_stream, place_of_stream, next;
  for (std::uint32_t k = 0; k < groups.kind_count(); ++k) {
    const GroupKind& kind = groups.kind(GroupKindId{k});
    names.push_back(kind.name);
    notes.groups.push_back({kind.name, kind.size() * kind.stands_for});
  }
  for (std::size_t p = 0; p < programs.programs.size(); ++p) {
    const Program& program = programs.programs[p];
    roles.push_back(program.role);
    next.push_back(program.next == itself ? static_cast<std::int64_t>(p) : program.next);
    for (std::size_t s = 0; s < program.streams.size(); ++s) {
      program_of_stream.push_back(static_cast<std::int64_t>(p));
      place_of_stream.push_back(static_cast<std::int64_t>(s));
      streams.push_back(program.streams[s]);
    }
  }
  const auto& of_gpu = programs.program_of_gpu;
  notes.folders = {
      {"group_kinds", "row i is group kind i, what the column group refers to", {{"name", std::move(names)}}},
      {"programs",
       "role, next (what its GPUs execute after it): by program; program_of_gpu: by GPU; streams: one row a "
       "stream",
       {{"role", std::move(roles)},
        {"next", std::move(next)},
        {"program_of_gpu", std::vector<std::int64_t>(of_gpu.begin(), of_gpu.end())}}},
      {"programs/streams",
       "",
       {{"program", std::move(program_of_stream)},
        {"stream", std::move(place_of_stream)},
        {"name", std::move(streams)}}}};
  add_members(groups, notes);
  return notes;
}

}  // namespace

ModelPart build_workload(const Scenario& scenario, const WorkloadRegistry& workloads, const Model& model,
                         ErrorList& errors) {
  const std::size_t before = errors.size();
  auto [job, serving] = make(scenario, workloads, model, errors);
  if (serving) check_circuits(model, *serving, *scenario.root.child("workload"), errors);
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
  part.resources.add<GroupTable>(std::move(groups));
  if (serving) {
    serving->kv_dimension = static_cast<std::uint16_t>(serving->kv_dimension + model.dimensions.size());
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
