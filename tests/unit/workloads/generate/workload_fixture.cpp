#include "tests/unit/workloads/generate/workload_fixture.hpp"

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>

#include "engine/model/kind.hpp"
#include "engine/model/model.hpp"
#include "engine/scenario/scenario.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/build_workload.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/registry.hpp"

namespace lightrail {

namespace {

std::filesystem::path scenario_path() {
  return std::filesystem::temp_directory_path() / ("lightrail_workload_" + std::to_string(getpid()) + ".xml");
}

Model model_of(std::uint32_t gpus, StorageServers servers, std::uint32_t hosts = 0) {
  Model model;
  auto book = std::make_shared<AddressBook>();
  auto storage = std::make_shared<ComponentKind>(), gpu = std::make_shared<ComponentKind>(),
       host = std::make_shared<ComponentKind>();
  storage->name = "storage", gpu->name = "gpu", host->name = "host";
  model.kinds = {storage, gpu, host};
  book->gpu_count = gpus;
  book->frontend_storage = servers.frontend;
  for (std::uint32_t e = 0; e < gpus + servers.all + hosts; ++e) {
    book->endpoints.push_back({.server = e / 8});
    book->component_of.emplace_back(e);
    ComponentRecord record;
    record.kind = e < gpus ? 1 : e < gpus + servers.all ? 0 : 2;
    model.components.push_back(record);
  }
  model.add<AddressBook>(book);
  model.add(std::make_shared<const AlgorithmRegistry>(built_in_algorithms()));
  return model;
}

/// What reading such a scenario by `make` finds.
template <class Make>
std::vector<std::string> mistakes_of(const std::string& children, const Make& make) {
  std::vector<std::string> mistakes;
  const std::string path = scenario_path();
  try {
    const Scenario scenario = scenario_of(children);
    ErrorList errors;
    make(scenario, errors);
    if (errors.is_empty()) report_unread(scenario.root, errors);
    errors.throw_if_any();
  } catch (const InputErrors& problem) {
    for (const auto& error : problem.errors())
      mistakes.push_back(error.file == path ? std::to_string(error.line) + ": " + error.what
                                            : to_string(error));
  }
  return mistakes;
}

}  // namespace

Scenario scenario_of(const std::string& children) {
  auto path = scenario_path();
  std::ofstream(path) << "<scenario name=\"test\">" << children << "</scenario>";
  Scenario scenario = load_scenario(path.string(), {{}, Catalogue("configs")});
  std::filesystem::remove(path);
  return scenario;
}

Transformer catalogue_model(const std::string& name) {
  Scenario scenario = scenario_of("<model catalogue=\"models/" + name + "\"/>");
  ErrorList errors;
  Transformer model;
  read_transformer(*scenario.root.child("model"), model, errors);
  errors.throw_if_any();
  return model;
}

std::string small_model(const std::string& more) {
  return std::string("<model layers=\"4\" hidden=\"64\" heads=\"8\" ffn=\"128\" vocabulary=\"1000\" ") +
         (more.find("kv-heads") == std::string::npos ? "kv-heads=\"4\" " : "") + more + "/>";
}

MadeJob make_job_of(const std::string& children, std::uint32_t gpus, std::uint32_t storage_servers,
                    Prediction predicts, std::uint32_t hosts, std::uint32_t frontend_storage) {
  MadeJob made;
  Model model = model_of(gpus, {storage_servers, frontend_storage}, hosts);
  if (predicts != Prediction::off) {
    auto regions = std::make_shared<Regions>();
    regions->predicts = predicts;
    model.add<Regions>(regions);
  }
  made.errors = mistakes_of(children, [&](const Scenario& scenario, ErrorList& errors) {
    made.job = make_job(scenario, built_in_workloads(), model, errors);
  });
  return made;
}

std::vector<std::uint32_t> ops_named(const Job& job, std::size_t program, const std::string& name) {
  std::vector<std::uint32_t> found;
  const auto& ops = job.programs.programs[program].ops;
  for (std::uint32_t i = 0; i < ops.size(); ++i)
    if (job.names[ops[i].name] == name) found.push_back(i);
  return found;
}

MadeSeveral make_jobs_of(const std::string& children, std::uint32_t gpus) {
  MadeSeveral several;
  const Model model = model_of(gpus, {});
  several.errors = mistakes_of(children, [&](const Scenario& scenario, ErrorList& errors) {
    several.made = make_jobs(scenario, built_in_workloads(), model, errors);
    several.made.serving_element = nullptr;  // of a scenario that ends here
  });
  return several;
}

MadeJob gated_training(const std::string& gate, const std::string& more, int batch, Prediction predicts) {
  return make_job_of(
      "<workload kind=\"training\" global-batch=\"" + std::to_string(batch) + "\" sequence=\"64\" ep=\"2\" " +
          more +
          "><model layers=\"2\" hidden=\"64\" heads=\"8\" kv-heads=\"4\" ffn=\"128\" vocabulary=\"1000\" "
          "experts=\"4\" active-experts=\"2\"/>" +
          gate + "</workload>",
      4, 0, predicts);
}

LoadHint load_hint_of(const std::string& children, std::uint32_t gpus) {
  const Scenario scenario = scenario_of(children);
  Model model = model_of(gpus, {});
  ErrorList errors;
  model.add(build_workload(scenario, built_in_workloads(), model, errors));
  errors.throw_if_any();
  return *model.resource<LoadHint>();
}

}  // namespace lightrail
