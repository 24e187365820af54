#include "app/cli/restart_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/added_component.hpp"
#include "components/supervisor/supervisor.hpp"
#include "engine/model/model_notes.hpp"
#include "engine/model/sub_model.hpp"
#include "network/circuits/has_circuits.hpp"
#include "network/health/health_table.hpp"
#include "network/health/nic_health.hpp"
#include "network/health/server_health.hpp"
#include "network/health/spare_servers.hpp"
#include "network/transport/discards.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/collective/nccl_settings.hpp"
#include "workloads/job/workload_context.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"
#include "workloads/program/serving.hpp"
#include "workloads/restart/restart_spec.hpp"

namespace lightrail {
namespace {

const Element* restart_of(const Scenario& scenario) {
  const Element* faults = scenario.root.child("faults");
  return faults ? faults->child("restart") : nullptr;
}

bool is_in_a_job(const ProgramSet& set, std::uint32_t gpu) {
  return gpu < set.program_of_gpu.size() && !set.programs[set.program_of_gpu[gpu]].ops.empty();
}

std::uint32_t job_of(const ProgramSet& set, std::uint32_t gpu) {
  return set.jobs.empty() ? 0 : set.programs[set.program_of_gpu[gpu]].job;
}

/// What programs that follow one another save.
struct Saving {
  bool saves = false;
  GroupKindId memory;  ///< whose members keep each other's state; invalid: none do
};

Saving saving_of(const ProgramSet& set, std::uint32_t program) {
  Saving saving;
  for (; program != itself; program = set.programs[program].next)
    for (const Op& op : set.programs[program].ops) {
      saving.saves |= saves_state(op);
      if (is_in_memory(op.io)) saving.memory = op.group;
    }
  return saving;
}

/// GPUs by server, in order.
std::vector<std::vector<std::uint32_t>> servers_of(const AddressBook& book) {
  std::vector<std::vector<std::uint32_t>> servers;
  for (std::uint32_t gpu = 0; gpu < book.gpu_count; ++gpu) {
    const std::uint32_t server = book.endpoints[gpu].server;
    if (server >= servers.size()) servers.resize(server + 1);
    servers[server].push_back(gpu);
  }
  return servers;
}

/// What a restart does not put together again; empty: nothing.
std::string obstacle(const Model& model, const ProgramSet& set) {
  if (model.resource<ServingPlan>()) return "a job of inference (its scheduler knows of no restart)";
  if (has_circuits(model)) return "circuits (their controllers know of no restart)";
  const auto& groups = *model.resource<GroupTable>();
  for (std::uint32_t k = 0; k < groups.kind_count(); ++k)
    if (groups.kind(GroupKindId{k}).stands_for > 1) return "fold: who is not simulated cannot fail";
  const auto& algorithms = *model.resource<AlgorithmRegistry>();
  const auto collnet = algorithms.find("collnet");
  const auto* nccl = model.resource<NcclSettings>();
  const auto takes_collnet = [&](const Op& op) { return collnet && op.algorithm == *collnet; };
  const bool has_collnet = (nccl && collnet && nccl->algorithm == *collnet) ||
                           std::any_of(set.programs.begin(), set.programs.end(), [&](const Program& program) {
                             return std::any_of(program.ops.begin(), program.ops.end(), takes_collnet);
                           });
  return has_collnet ? "collnet: switches would keep the sums of a job that was stopped" : "";
}

class RestartReader {
 public:
  RestartReader(const Model& model, const Element& element, const JobRestartSpec& spec, ErrorList& errors)
      : book_(*model.resource<AddressBook>()),
        set_(*model.resource<ProgramSet>()),
        element_(element),
        spec_(spec),
        errors_(errors),
        servers_(servers_of(book_)),
        in_use_(servers_.size()) {}

  void read() {
    plan.stages = spec_.stages();
    read_jobs();
    read_spares();
  }
  [[nodiscard]] const std::vector<bool>& in_use() const { return in_use_; }

  RestartPlan plan;
  std::vector<std::uint32_t> spares;

 private:
  void read_jobs() {
    plan.jobs.resize(std::max<std::size_t>(set_.jobs.size(), 1));
    for (std::size_t i = 0; i < set_.jobs.size(); ++i) plan.jobs[i].name = set_.jobs[i].name;
    for (std::uint32_t server = 0; server < servers_.size(); ++server) read_server(server);
    if (plan.gpus.empty()) errors_.add(element_.error("<restart> without a job that could be restarted"));
  }

  void read_server(std::uint32_t server) {
    std::set<std::uint32_t> jobs;
    for (const std::uint32_t gpu : servers_[server]) {
      if (!is_in_a_job(set_, gpu)) continue;
      const Program& program = set_.programs[set_.program_of_gpu[gpu]];
      const std::uint32_t number = job_of(set_, gpu);
      RestartPlan::Job& job = plan.jobs[number];
      jobs.insert(number);
      job.gpus.emplace_back(gpu);
      job.start = set_.start_of(program);
      const Saving saving = saving_from(set_.program_of_gpu[gpu]);
      job.has_checkpoints &= saving.saves;
      if (saving.memory.is_valid()) job.memory = saving.memory;
      plan.gpus.emplace_back(gpu);
    }
    in_use_[server] = !jobs.empty();
    if (jobs.size() > 1)
      errors_.add(element_.error(fmt::format(
          "<restart>: jobs '{}' and '{}' share server {}; one that is restarted would stop the other's "
          "traffic there (expected servers of one job)",
          plan.jobs[*jobs.begin()].name, plan.jobs[*jobs.rbegin()].name, server)));
  }

  /// Thousands of GPUs run the same programs.
  Saving saving_from(std::uint32_t program) {
    const auto [known, is_new] = saving_.try_emplace(program);
    if (is_new) known->second = saving_of(set_, program);
    return known->second;
  }

  void complain(const std::string& problem) {
    errors_.add(element_.error_at("spares", "<restart> attribute 'spares': " + problem));
  }

  void read_spares() {
    if (spec_.spares.empty()) return;
    const auto count = static_cast<std::uint32_t>(servers_.size());
    if (const std::string problem =
            parse_number_list(spec_.spares, "server", "servers of GPUs", count, spares);
        !problem.empty())
      return complain(problem);
    for (std::size_t i = 0; i < spares.size(); ++i) {
      if (std::find(spares.begin(), spares.begin() + static_cast<std::ptrdiff_t>(i), spares[i]) !=
          spares.begin() + static_cast<std::ptrdiff_t>(i))
        return complain(fmt::format("server {} twice", spares[i]));
      if (!check_spare(spares[i])) return;
    }
    for (const std::uint32_t server : spares)
      for (const std::uint32_t gpu : servers_[server]) plan.gpus.emplace_back(gpu);
  }

  bool check_spare(std::uint32_t spare) {
    if (in_use_[spare]) {
      const auto used = std::find_if(servers_[spare].begin(), servers_[spare].end(),
                                     [&](std::uint32_t gpu) { return is_in_a_job(set_, gpu); });
      complain(
          fmt::format("a job has gpu {} of server {} (expected a server that no job uses)", *used, spare));
      return false;
    }
    for (std::uint32_t server = 0; server < servers_.size(); ++server)
      if (in_use_[server] && servers_[server].size() != servers_[spare].size()) {
        complain(fmt::format("server {} has {} GPUs, and server {} of a job has {}", spare,
                             servers_[spare].size(), server, servers_[server].size()));
        return false;
      }
    return true;
  }

  const AddressBook& book_;
  const ProgramSet& set_;
  const Element& element_;
  const JobRestartSpec& spec_;
  ErrorList& errors_;
  std::vector<std::vector<std::uint32_t>> servers_;
  std::vector<bool> in_use_;
  std::map<std::uint32_t, Saving> saving_;  ///< by the first of the programs
};

/// The same model, with a port more for each GPU: ids of components and links stay. Without its ModelNotes.
Model with_ports(const Model& built) {
  std::vector<Kept> kept(built.components.size(), {true, 0});
  const auto& book = *built.resource<AddressBook>();
  for (std::uint32_t gpu = 0; gpu < book.gpu_count; ++gpu) kept[book.component_of[gpu].value].spare_ports = 1;
  Model model = sub_model(built, kept).model;
  ModelPart part;
  part.resources = built.resources().without<ModelNotes>();
  model.add(std::move(part));
  return model;
}

void join_gpus(Model& model, const RestartPlan& plan) {
  LinkClass notice;
  notice.name = notice.medium = "supervisor";
  notice.latency = RestartPlan::notice;
  const auto link_class = static_cast<std::uint16_t>(model.link_classes.size());
  model.link_classes.push_back(std::move(notice));
  const ComponentId supervisor =
      add_component(model, supervisor_kind(), std::make_shared<const SupervisorSpec>(), "supervisor",
                    static_cast<std::uint16_t>(plan.gpus.size()));
  const auto& book = *model.resource<AddressBook>();
  for (std::size_t i = 0; i < plan.gpus.size(); ++i) {
    const ComponentId gpu = book.component_of[plan.gpus[i].value];
    const auto last = static_cast<PortIndex>(model.components[gpu.value].port_count - 1);
    join_ports(model, {supervisor, static_cast<PortIndex>(i)}, {gpu, last}, link_class, link_class);
  }
}

/// With the jobs that GPUs of spare servers will be in, where there are several.
std::shared_ptr<const ModelNotes> notes_with_spares(const ModelNotes& notes, const SpareServers& spares) {
  auto all = std::make_shared<ModelNotes>(notes);
  for (std::uint32_t gpu = 0; gpu < all->job_of_gpu.size(); ++gpu)
    if (const EndpointId of_job = spares.logical(EndpointId{gpu}); of_job.value != gpu)
      all->job_of_gpu[gpu] = notes.job_of_gpu[of_job.value];
  return all;
}

/// What is given and not simulated, and jobs that a restart takes back to their beginning.
std::vector<Remark> remarks_of(const RestartPlan& plan) {
  const RestartStages& s = plan.stages;
  std::vector<Remark> all = {
      {"restart", fmt::format("detection {}, replacement {}, rendezvous {}, communicators {} and {} a GPU, "
                              "warm-up {}: times as <restart> has them, none of them simulated",
                              format_time(s.detection), format_time(s.replacement), format_time(s.rendezvous),
                              format_time(s.init), format_time(s.init_per_gpu), format_time(s.warm_up))}};
  for (const RestartPlan::Job& job : plan.jobs)
    if (!job.gpus.empty() && !job.has_checkpoints)
      all.push_back({"restart", fmt::format("{} has no checkpoint that all its GPUs write: it begins again "
                                            "at its first iteration",
                                            job.name.empty() ? "the job" : "job '" + job.name + "'")});
  return all;
}

}  // namespace

ModelPart read_restart(const Scenario& scenario, const Model& model, ErrorList& errors) {
  ModelPart part;
  const Element* element = restart_of(scenario);
  if (!element) return part;
  JobRestartSpec spec;
  job_restart_parameters().parse(*element, spec, errors);
  // Where nothing fails a run is what it is without.
  if (model.resource<HealthTable>())
    part.resources.add(std::make_shared<const JobRestartSpec>(std::move(spec)));
  return part;
}

Model with_supervisor(Model built, const Scenario& scenario, ErrorList& errors) {
  const auto* spec = built.resource<JobRestartSpec>();
  const auto* set = built.resource<ProgramSet>();
  if (!spec || !set || !errors.is_empty()) return built;
  const Element& element = *restart_of(scenario);
  if (const std::string what = obstacle(built, *set); !what.empty()) {
    errors.add(element.error("<restart> with " + what));
    return built;
  }
  RestartReader reader(built, element, *spec, errors);
  reader.read();
  if (reader.plan.gpus.size() >= self_port)
    errors.add(element.error(
        fmt::format("<restart> would watch {} GPUs (at most {})", reader.plan.gpus.size(), self_port - 1)));
  if (!errors.is_empty()) return built;
  Model model = with_ports(built);
  const auto& book = *model.resource<AddressBook>();
  const auto health = std::make_shared<const ServerHealth>(model, *model.resource<HealthTable>(), book,
                                                           model.resource<NicHealth>());
  ModelPart part;
  part.resources.add(health);
  const auto spares = std::make_shared<const SpareServers>(book, *health, reader.in_use(), reader.spares,
                                                           reader.plan.stages.detection);
  part.resources.add(spares);
  if (const auto* notes = built.resource<ModelNotes>())
    part.resources.add(notes_with_spares(*notes, *spares));
  part.resources.add(std::make_shared<const RestartsJobs>());
  part.remarks = remarks_of(reader.plan);
  join_gpus(model, reader.plan);
  part.resources.add(std::make_shared<const RestartPlan>(std::move(reader.plan)));
  model.add(std::move(part));
  return model;
}

}  // namespace lightrail
