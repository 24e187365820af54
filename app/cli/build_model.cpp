#include "app/cli/build_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/algorithm_files.hpp"
#include "app/cli/check_answers.hpp"
#include "app/cli/check_components.hpp"
#include "app/cli/check_iterations.hpp"
#include "app/cli/check_values.hpp"
#include "app/cli/check_watchdogs.hpp"
#include "app/cli/child_identities.hpp"
#include "app/cli/fold_factor.hpp"
#include "app/cli/parse_output.hpp"
#include "app/cli/read_congestion.hpp"
#include "app/cli/read_formula.hpp"
#include "app/cli/read_lanes.hpp"
#include "app/cli/read_queue_pairs.hpp"
#include "app/cli/read_stretches.hpp"
#include "app/cli/read_variation.hpp"
#include "app/cli/remark_exchanges.hpp"
#include "app/cli/remark_fold.hpp"
#include "app/cli/remark_hosts.hpp"
#include "app/cli/remark_nics.hpp"
#include "app/cli/remark_shortcuts.hpp"
#include "app/cli/remark_unused.hpp"
#include "app/cli/restart_model.hpp"
#include "app/cli/sampled_replicas.hpp"
#include "app/cli/unknown_names.hpp"
#include "components/built_in_tables.hpp"
#include "components/gpu/check_gpus.hpp"
#include "fabrics/system/build_system.hpp"
#include "network/circuits/regions.hpp"
#include "network/health/nic_health.hpp"
#include "network/health/nic_planes.hpp"
#include "network/health/read_faults.hpp"
#include "network/port/tables.hpp"
#include "network/wire/address_book.hpp"
#include "network/wire/nic_role.hpp"
#include "workloads/build_workload.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/collective/nccl_settings.hpp"
#include "workloads/collective/prepare.hpp"
#include "workloads/goodput/read_goodput.hpp"
#include "workloads/import/recognise_trace.hpp"
#include "workloads/job/step_over.hpp"
#include "workloads/make_jobs.hpp"
#include "workloads/program/region_turns.hpp"
#include "workloads/program/serving.hpp"

namespace lightrail {
namespace fs = std::filesystem;

Describe<RunSpec> run_parameters() {
  return Describe<RunSpec>()
      .field("seed", &RunSpec::seed, "seed of all random numbers", std::int64_t{0}, INT64_MAX)
      .field("stop-at", &RunSpec::stop_at, "simulated time at which the run ends", picoseconds(1), time_never)
      .choice(
          "detail", &RunSpec::detail,
          "packets: one by one; trains: in trains, as <network> has them; messages: whole, at the rates of "
          "ports, whatever lies between; formula: communication takes what NCCL's estimates say and some "
          "GPUs "
          "stand for all",
          {{"trains", Detail::trains},
           {"packets", Detail::packets},
           {"messages", Detail::messages},
           {"formula", Detail::formula}})
      .choice("recall", &RunSpec::recall,
              "collectives: one inside an NVLink domain that meets what another one met there before is not "
              "simulated again, and everything is as if it had been",
              {{"none", Recall::none}, {"collectives", Recall::collectives}});
}

std::string find_shared_folder(const std::string& what) {
  std::error_code error;
  fs::path executable = fs::read_symlink("/proc/self/exe", error);
  for (fs::path folder = executable.parent_path(); !error && folder.has_relative_path();
       folder = folder.parent_path())
    for (const fs::path& candidate : {folder / what, folder / "share/lightrail" / what})
      if (fs::is_directory(candidate)) return candidate;
  return "";
}

Catalogue catalogue_of(const CommandLine& line) {
  const std::string installed = find_shared_folder("configs");
  const char* variable = std::getenv("LIGHTRAIL_CATALOGUE");
  const std::string named = !line.catalogue.empty() ? line.catalogue : variable ? variable : "";
  return named.empty() || named == installed ? Catalogue(installed) : Catalogue(named, installed);
}

namespace {

ScenarioOptions scenario_options(const CommandLine& line) {
  return {line.settings, catalogue_of(line), child_identities()};
}

/// What `read` gives; a file that is no scenario but a trace is told to be one.
template <class Read>
auto read_or_say_trace(const std::string& path, Read&& read) {
  try {
    return read();
  } catch (const InputErrors& problem) {
    const auto is = recognise_trace(path);
    if (!is || is->format.empty()) throw;
    throw refused_as(path,
                     sentence_of(*is) + ", no scenario (docs/traces.md says how a scenario replays a trace)",
                     problem);
  }
}

}  // namespace

Scenario load(const CommandLine& line) {
  const std::string& path = line.positional.front();
  return read_or_say_trace(path, [&] { return load_scenario(path, scenario_options(line)); });
}

ReadScenario load_to_build(const CommandLine& line) {
  const std::string& path = line.positional.front();
  return read_or_say_trace(path, [&] { return read_scenario(path, scenario_options(line)); });
}

namespace {

void check_is_benchmark(const Scenario& scenario, const WorkloadKind* kind, ErrorList& errors) {
  const Element* workload = scenario.root.child("workload");
  if (!kind || !kind->is_benchmark || scenario.root.children_named("workload").size() > 1)
    errors.add((workload ? workload : &scenario.root)
                   ->error("lightrail collective needs a scenario with one <workload kind=\"collective\">"));
}

/// At the place of an attribute of the GPUs' <fabric>, given or not.
void add_at_fabric(const std::string& attribute, const std::string& problem, const Scenario& scenario,
                   ErrorList& errors) {
  ErrorList told;  // of its `for`, when the system was built
  const auto all = scenario.root.children_named("fabric");
  const Element* fabric = *std::find_if(all.begin(), all.end(), [&](const Element* one) {
    return read_nic_role(*one, "for", told) == NicRole::compute;
  });
  errors.add(fabric->error_at(attribute, fmt::format("<fabric> attribute '{}': {}", attribute, problem)));
}

/// Circuits for the traffic of a dimension that the workload does not have would carry nothing.
void check_circuits_for(const Scenario& scenario, const Model& model, ErrorList& errors) {
  const auto* regions = model.resource<Regions>();
  if (!errors.is_empty() || !regions || regions->dimension.empty() ||
      std::find(model.dimensions.begin(), model.dimensions.end(), regions->dimension) !=
          model.dimensions.end())
    return;
  add_at_fabric("circuits-for",
                fmt::format("the workload has no dimension '{}' (it has: {})", regions->dimension,
                            fmt::join(model.dimensions, ", ")),
                scenario, errors);
}

/// Energy is counted over the whole run, which is shorter where steps leave out a part of themselves.
void leave_out_energy(const Scenario& scenario, OutputSelection& output, ErrorList& errors) {
  const Element* workload = scenario.root.child("workload");
  if (!workload || !has_pipeline(step_over_of(*workload))) return;
  output.by_table.at(tables::power).is_on = false;
  const Element* asked = scenario.root.child("output");
  if (!asked) return;
  for (const Element* table : asked->children_named("table")) {
    const Attribute *name = table->find("name"), *record = table->find("record");
    if (name && name->value == "power" && (!record || record->value != "off"))
      errors.add(
          table->error("<table> 'power' with step-over=\"pipeline\": what is stepped over has no energy"));
  }
}

/// What the links, the output and NCCL are to do, as the scenario says.
ModelPart read_settings(const Scenario& scenario, const Model& model,
                        std::shared_ptr<const AlgorithmRegistry> algorithms, ErrorList& errors) {
  ModelPart part;
  const auto health = std::make_shared<const HealthTable>(read_faults(scenario.root, model, errors));
  if (!health->is_empty()) part.resources.add(health);
  if (const auto* book = model.resource<AddressBook>()) {
    if (health->has_outages()) {
      part.resources.add(std::make_shared<const NicHealth>(*health, *book, model));
      part.resources.add(std::make_shared<const NicPlanes>(*health, model));
    }
    OutputSelection output = parse_output(scenario.root.child("output"), *book, *model.tables, errors);
    leave_out_energy(scenario, output, errors);
    part.resources.add(std::make_shared<const OutputSelection>(std::move(output)));
  }
  part.resources.add(std::make_shared<const NcclSettings>(
      parse_nccl_settings(scenario.root.child("nccl"), algorithms->names(), errors)));
  part.resources.add(std::move(algorithms));
  return part;
}

/// What is found when the job meets the system stands at the place of its <workload>.
ModelPart prepare_workload(const Scenario& scenario, const Model& model, ErrorList& errors) {
  const Element* workload = scenario.root.child("workload");
  try {
    ErrorList found;
    ModelPart part = prepare_execution(model, found);
    if (found.is_empty()) check_gpus(model, found);
    found.throw_if_any();
    return part;
  } catch (const InputErrors& problem) {
    for (const InputError& error : problem.errors())
      errors.add(error.file.empty() && workload
                     ? workload_named_in(error.what, scenario.root)->error(error.what)
                     : error);
    return {};
  }
}

bool needs_scheduler(const Scenario& scenario, const WorkloadRegistry& kinds) {
  const auto workloads = scenario.root.children_named("workload");
  return std::any_of(workloads.begin(), workloads.end(), [&kinds](const Element* workload) {
    const auto kind = kinds.of(workload);
    return kind && kind->needs_scheduler;
  });
}

/// A controller makes circuits for its whole region at once.
void check_turns(const Scenario& scenario, const Model& model, ErrorList& errors) {
  const auto* regions = model.resource<Regions>();
  if (!errors.is_empty() || !regions || !regions->is_controlled || !model.resource<ProgramIndexes>() ||
      model.resource<ServingPlan>())
    return;
  const auto d = std::find(model.dimensions.begin(), model.dimensions.end(), regions->dimension);
  const std::string problem =
      waits_of_regions(*model.resource<ProgramSet>(), *model.resource<ProgramIndexes>(),
                       *model.resource<GroupTable>(), *regions, *model.resource<AddressBook>(),
                       static_cast<std::uint16_t>(d - model.dimensions.begin()), model.names);
  if (!problem.empty()) add_at_fabric("region-servers", problem, scenario, errors);
}

}  // namespace

namespace {

/// Mistakes of reading, and those of building that did not come of them: at other places.
[[noreturn]] void throw_all(const std::vector<InputError>& of_reading,
                            const std::vector<InputError>& of_building) {
  std::vector<InputError> all = of_reading;
  for (const InputError& one : of_building) {
    const bool follows = std::any_of(of_reading.begin(), of_reading.end(), [&](const InputError& mistake) {
      return mistake.file == one.file && mistake.line == one.line;
    });
    if (!follows && all.size() < max_errors) all.push_back(one);
  }
  throw InputErrors(std::move(all));
}

Model build(const Scenario& scenario, const Registry& registry, CommandLine& line) {
  ErrorList errors;
  AlgorithmRegistry known_algorithms = registry.algorithms;
  line.algorithm_files = add_algorithm_files(scenario.root, known_algorithms, errors);
  errors.throw_if_any();
  const auto algorithms = std::make_shared<const AlgorithmRegistry>(std::move(known_algorithms));
  RunSpec run;
  if (const Element* element = scenario.root.child("run")) run_parameters().parse(*element, run, errors);
  if (line.run.stop_at == time_never) line.run.stop_at = run.stop_at;
  const auto workload = registry.workloads.of(scenario.root.child("workload"));
  if (line.command == Command::collective) check_is_benchmark(scenario, workload.get(), errors);
  if (line.command == Command::goodput && !scenario.root.child("goodput"))
    errors.add(scenario.root.error("lightrail goodput needs a scenario with <goodput>"));
  // What a build that failed has not read says nothing; names that no stage knows may be why it failed.
  auto end_with_names = [&] {
    const std::vector<ElementDoc> known = known_elements(registry);
    report_unknown_names(scenario.root, known, errors);
    check_unread_values(scenario.root, known, registry.tables.names(), errors);
    errors.throw_if_any();
  };

  Model model = build_system(scenario, registry.components, registry.fabrics, errors,
                             needs_scheduler(scenario, registry.workloads));
  model.seed = line.has_seed ? line.seed : static_cast<std::uint64_t>(run.seed);
  const Element* run_element = scenario.root.child("run");
  model.add(std::make_shared<const RunDetail>(
      RunDetail{run.detail, run_element ? run_element->error_at("detail", "") : InputError{}}));
  TableRegistry tables = registry.tables;
  if (!line.algorithm_files.empty()) label_algorithms(tables, *algorithms);
  model.tables = std::make_shared<const TableRegistry>(std::move(tables));
  if (!errors.is_empty()) end_with_names();
  model.add(read_settings(scenario, model, algorithms, errors));
  model.add(read_restart(scenario, model, errors));
  model.add(read_variation(scenario, model, errors));
  model.add(build_workload(scenario, registry.workloads, model, errors));
  model.add(fold_factor(scenario, registry, model));
  model.add(sampled_replicas(model));
  check_stepped_iterations(scenario, model, errors);
  model.add(read_goodput(scenario, model, errors));
  model.add(read_queue_pairs(scenario, model, errors));
  model.add(read_lanes(scenario, model, errors));
  model.add(read_congestion(scenario, model, errors));
  model.add(read_dcqcn(scenario, model, errors));
  model.add(read_nscc(scenario, model, errors));
  model.add(read_dctcp(scenario, model, errors));
  model.add(read_timely(scenario, model, errors));
  check_watchdogs(model, errors);
  check_answers(model, errors);
  check_circuits_for(scenario, model, errors);
  model.add(prepare_workload(scenario, model, errors));
  model.add(read_stretches(run.detail, run_element, model, errors));
  model.add(read_formula(run.detail, run_element, model, errors));
  model.add(std::make_shared<const DetailUsed>(detail_used(model, run.detail)));
  model.add(read_recall(run.recall, run_element, model, errors));
  model.add(remark_shortcuts(model));
  model.add(remark_fold(model));
  model.add(remark_hosts(model));
  model.add(remark_nics(model));
  check_turns(scenario, model, errors);
  model = with_supervisor(std::move(model), scenario, errors);
  model.add(remark_unused(scenario, model));
  model.add(remark_exchanges(scenario, model));
  if (!errors.is_empty()) end_with_names();
  check_components(model, errors);
  report_unread(scenario.root, errors);
  errors.throw_if_any();
  return model;
}

}  // namespace

Model build_model(const ReadScenario& given, const Registry& registry, CommandLine& line) {
  std::optional<ReadScenario> by_packets;
  if (asks_for_packets(given)) by_packets.emplace(with_trains(given, LongestTrains{}));
  const ReadScenario& scenario = by_packets ? *by_packets : given;
  if (scenario.mistakes.empty()) return build(scenario, registry, line);
  try {
    static_cast<void>(build(scenario, registry, line));
  } catch (const InputErrors& more) {
    throw_all(scenario.mistakes, more.errors());
  }
  throw InputErrors(scenario.mistakes);
}

}  // namespace lightrail
