#include "workloads/goodput/read_goodput.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/transfer_time.hpp"
#include "engine/scenario/units.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/goodput/goodput_spec.hpp"
#include "workloads/goodput/read_failure_rates.hpp"
#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"
#include "workloads/program/serving.hpp"

namespace lightrail {
namespace {

/// Failures that may be played, over all runs and before other intervals are tried.
constexpr double max_failures = 2e7;

/// Whether what a GPU of the job does stands for other ones too.
bool stands_for_others(const Model& model) {
  const auto* groups = model.resource<GroupTable>();
  for (std::uint32_t k = 0; groups && k < groups->kind_count(); ++k)
    if (groups->kind(GroupKindId{k}).stands_for > 1) return true;
  return false;
}

bool writes_to_storage(const Model& model) {
  const auto* set = model.resource<ProgramSet>();
  return set && std::any_of(set->programs.begin(), set->programs.end(), [](const Program& program) {
           return std::any_of(program.ops.begin(), program.ops.end(),
                              [](const Op& op) { return op.kind == OpKind::storage_write; });
         });
}

/// Kernels of some job take place in some of its iterations alone.
bool evaluates(const Model& model) {
  const auto* set = model.resource<ProgramSet>();
  return set && std::any_of(set->programs.begin(), set->programs.end(), [](const Program& program) {
           return std::any_of(program.ops.begin(), program.ops.end(),
                              [](const Op& op) { return op.kind == OpKind::compute && op.every > 1; });
         });
}

class GoodputReader {
 public:
  GoodputReader(const Element& element, bool has_workload, const Model& model, ErrorList& errors)
      : element_(element), has_workload_(has_workload), model_(model), errors_(errors) {}

  ModelPart read() && {
    const std::size_t before = errors_.size();
    read_job();
    if (plan().gpus == 0 || errors_.size() > before) return {};
    const Element* rates = element_.child("failure-rates");
    if (!rates)
      errors_.add(element_.error("<goodput> needs <failure-rates>"));
    else
      rates_ = read_failure_rates(*rates, plan().gpus, parameters_, errors_);
    plan().categories = rates_.categories;
    read_restart();
    read_checkpoint();
    read_spares();
    read_replicas();
    check_write_of_job();
    if (errors_.size() == before) check_amount();
    if (errors_.size() > before) return {};
    remark();
    ModelPart part;
    part.parameters = std::move(parameters_);
    part.resources.add(std::make_shared<const GoodputRequest>(std::move(request_)));
    return part;
  }

 private:
  void check_write_of_job() {
    const auto* programs = model_.resource<ProgramSet>();
    if (request_.simulates_write && programs && !programs->jobs.empty())
      errors_.add(element_.error(
          "<goodput> needs 'write' of <checkpoint> (and 'blocking'): only a job that is the only one, "
          "without a name, tells them"));
  }

  /// GPUs of the job that `spec` names; 0: there is no such job.
  std::uint32_t gpus_of(const std::string& job) {
    const auto* programs = model_.resource<ProgramSet>();
    std::uint32_t gpus = 0;
    for (std::size_t gpu = 0; programs && gpu < programs->program_of_gpu.size(); ++gpu) {
      const std::uint32_t of = programs->programs[programs->program_of_gpu[gpu]].job;
      if (of != no_job && programs->jobs[of].name == job) ++gpus;
    }
    return gpus;
  }

  /// Of several jobs one is named.
  void read_name(const GoodputSpec& spec) {
    const auto* programs = model_.resource<ProgramSet>();
    const bool has_jobs = programs && !programs->jobs.empty();
    request_.job = spec.job;
    if (!spec.job.empty() && gpus_of(spec.job) == 0) {
      std::string names;
      for (std::size_t i = 0; has_jobs && i < programs->jobs.size(); ++i)
        names += (i == 0 ? "" : ", ") + programs->jobs[i].name;
      complain(element_, "job",
               fmt::format("there is no job '{}' (expected {})", spec.job,
                           has_jobs ? names : "none: the only job has no name"));
    }
    if (spec.job.empty() && has_jobs && request_.simulates_step)
      errors_.add(element_.error("<goodput> needs 'job', the name of one of the jobs whose step it takes"));
    else if (spec.job.empty() && has_jobs && spec.gpus == 0)
      errors_.add(element_.error("<goodput> needs 'job', the name of one of the jobs, or 'gpus'"));
    if (request_.simulates_step && evaluates(model_))
      errors_.add(element_.error(
          "<goodput> needs 'step': behind some steps of the job is an evaluation (eval-interval)"));
  }

  GoodputPlan& plan() { return request_.plan; }

  void complain(const Element& at, const char* attribute, const std::string& problem) {
    errors_.add(at.error_at(attribute, fmt::format("<{}> attribute '{}': {}", at.name, attribute, problem)));
  }

  /// Parses an element that may be missing, whose defaults count then, and declares its values.
  template <class XSpec>
  void parse(const Element* at, const char* name, const Describe<XSpec>& table, XSpec& spec) {
    if (at) table.parse(*at, spec, errors_);
    for (ParameterValue& value : table.values(spec)) parameters_.push_back({name, 0, std::move(value)});
  }

  void read_job() {
    GoodputSpec spec;
    parse(&element_, "goodput", goodput_parameters(), spec);
    const auto* book = model_.resource<AddressBook>();
    const std::uint32_t simulated = !spec.job.empty() ? gpus_of(spec.job) : book ? book->gpu_count : 0;
    plan().gpus = spec.gpus > 0 ? spec.gpus : simulated;
    plan().step = spec.step;
    plan().period = spec.period;
    plan().runs = spec.runs;
    plan().seed = model_.seed;
    request_.simulates_step = spec.step == SimTime{};
    const std::size_t before = errors_.size();
    read_name(spec);
    if (errors_.size() > before) return;
    if (request_.simulates_step && (!has_workload_ || model_.resource<ServingPlan>()))
      errors_.add(element_.error("<goodput> needs 'step', or a <workload> whose iterations tell it"));
    if (plan().gpus == 0) errors_.add(element_.error("<goodput> needs 'gpus': the system has none"));
    if (spec.gpus == 0 && stands_for_others(model_))
      errors_.add(element_.error("<goodput> needs 'gpus': those that are simulated stand for others (fold)"));
  }

  void read_restart() {
    RestartSpec spec;
    parse(element_.child("restart"), "restart", restart_parameters(), spec);
    for (std::size_t i = 0; i < plan().categories.size(); ++i)
      plan().categories[i].detection =
          rates_.found_by[i] == FoundBy::watchdog ? spec.watchdog : spec.detection;
    plan().restart = {spec.replacement, spec.rendezvous, spec.init + plan().gpus * spec.init_per_gpu,
                      spec.load, spec.warm_up};
  }

  void read_checkpoint() {
    const Element* at = element_.child("checkpoint");
    if (!at) return;
    JobCheckpointSpec spec;
    const std::size_t before = errors_.size();
    parse(at, "checkpoint", job_checkpoint_parameters(), spec);
    if (errors_.size() > before) return;
    if (spec.every > plan().period)
      complain(*at, "every",
               fmt::format("'{}' is longer than the period ({})", at->find("every")->value,
                           format_value(plan().period)));
    const bool has_size = at->find("size") != nullptr;
    for (const char* rate : {"copy-rate", "write-rate", "read-rate"})
      if (at->find(rate) && !has_size) complain(*at, rate, "needs 'size'");
    for (const auto& [time, rate] : {std::pair{"blocking", "copy-rate"}, std::pair{"write", "write-rate"}})
      if (at->find(time) && at->find(rate)) complain(*at, rate, fmt::format("'{}' says it already", time));
    const Element* restart = element_.child("restart");
    if (at->find("read-rate") && restart && restart->find("load"))
      complain(*at, "read-rate", "'load' of <restart> says it already");
    if (has_size && !at->find("copy-rate") && !at->find("write-rate") && !at->find("read-rate"))
      complain(*at, "size", "has no effect without a rate");
    if (errors_.size() == before) take_checkpoint(*at, spec);
  }

  /// How long the bytes take at a rate that is given; else `otherwise`.
  SimTime time_at(const Element& at, const char* attribute, Bytes bytes, BitRate rate, SimTime otherwise) {
    if (!at.find(attribute)) return otherwise;
    const SimTime time = transfer_time(bytes, rate);
    if (time <= plan().period) return time;
    complain(at, attribute,
             fmt::format("the checkpoint takes longer than the period ({})", format_value(plan().period)));
    return otherwise;
  }

  void take_checkpoint(const Element& at, const JobCheckpointSpec& spec) {
    const std::int64_t of_gpu = (spec.size.value + plan().gpus - 1) / plan().gpus;
    const SimTime blocking = time_at(at, "copy-rate", Bytes{of_gpu}, spec.copy_rate, spec.blocking);
    const SimTime write = time_at(at, "write-rate", spec.size, spec.write_rate, spec.write);
    plan().restart.load = time_at(at, "read-rate", spec.size, spec.read_rate, plan().restart.load);
    const bool is_told =
        at.find("blocking") || at.find("copy-rate") || at.find("write") || at.find("write-rate");
    const bool is_synchronous = spec.mode == JobCheckpointMode::synchronous;
    if (is_synchronous && at.find("speed-while-saving"))
      complain(at, "speed-while-saving", "a synchronous checkpoint is not written beside training");
    if (!is_told && !writes_to_storage(model_))
      return errors_.add(at.error(
          "<checkpoint> needs 'blocking' or 'write', a size with rates, or a workload that writes to "
          "storage"));
    request_.simulates_write = !is_told;
    read_memory(at, spec, is_told);
    // What a simulated write tells is put where a given one would stand.
    plan().checkpoint = JobCheckpoint{spec.every, is_synchronous ? blocking + write : blocking,
                                      is_synchronous ? SimTime{} : write, spec.speed_while_saving};
    request_.is_synchronous = is_synchronous;
  }

  void read_memory(const Element& at, const JobCheckpointSpec& spec, bool is_told) {
    if (spec.mode != JobCheckpointMode::peers) {
      for (const char* attribute : {"copies", "storage-every", "storage-write", "memory-load"})
        if (at.find(attribute)) complain(at, attribute, "has no effect without mode=\"peers\"");
      return;
    }
    if (!at.find("memory-load")) complain(at, "mode", "'peers' needs 'memory-load'");
    if (!is_told) complain(at, "mode", "'peers' needs 'blocking', 'write' or rates: it is not simulated");
    if (at.find("storage-write") && spec.storage_every == 0)
      complain(at, "storage-write", "has no effect without 'storage-every'");
    const std::uint32_t servers = plan().gpus / std::max(1u, rates_.gpus_per_node);
    if (servers * rates_.gpus_per_node != plan().gpus || servers == 0 || servers % spec.copies != 0)
      complain(at, "copies",
               fmt::format("{} GPUs are no whole number of groups of {} servers of {} GPUs", plan().gpus,
                           spec.copies, rates_.gpus_per_node));
    plan().memory =
        MemoryCopies{servers, spec.copies, spec.storage_every, spec.storage_write, spec.memory_load};
  }

  void read_spares() {
    const Element* at = element_.child("spares");
    if (!at) return;
    SparesSpec spec;
    parse(at, "spares", spares_parameters(), spec);
    const double servers = static_cast<double>(plan().gpus) / rates_.gpus_per_node;
    if (spec.servers > servers)
      complain(*at, "servers",
               fmt::format("'{}' is more than the job has servers ({:.6g})", spec.servers, servers));
    if (std::none_of(plan().categories.begin(), plan().categories.end(),
                     [](const FailureCategory& category) { return category.replaces_server; }))
      errors_.add(at->error("<spares> has no effect: no <category> replaces a server"));
    plan().spares = SparesPlan{spec.servers, spec.repair};
  }

  void read_replicas() {
    const Element* at = element_.child("replicas");
    if (!at) return;
    ReplicasSpec spec;
    parse(at, "replicas", replicas_parameters(), spec);
    if (spec.groups > plan().gpus)
      complain(*at, "groups",
               fmt::format("'{}' is more than the job has GPUs ({})", spec.groups, plan().gpus));
    for (const char* other : {"checkpoint", "spares"})
      if (const Element* beside = element_.child(other))
        errors_.add(beside->error(fmt::format("<{}> has no effect beside <replicas>", other)));
    plan().replicas = ReplicaPlan{spec.groups, spec.heartbeat, spec.quorum};
  }

  void remark() {
    std::vector<std::string> guesses;
    const auto guess = [&](const char* element, std::initializer_list<const char*> names) {
      const Element* at = element_.child(element);
      for (const char* name : names)
        if (!at || !at->find(name)) guesses.emplace_back(name);
    };
    guess("restart", {"detection", "replacement", "warm-up"});
    if (plan().spares) guess("spares", {"repair"});
    if (!guesses.empty())
      request_.remarks.push_back({"defaults", fmt::format("without a source: {}", fmt::join(guesses, ", "))});
    if (!plan().spares && !plan().replicas &&
        std::any_of(plan().categories.begin(), plan().categories.end(),
                    [](const FailureCategory& category) { return category.replaces_server; }))
      request_.remarks.push_back({"spares", "a spare is always there (<spares> says how many are)"});
    if (!plan().checkpoint && !plan().replicas)
      request_.remarks.push_back({"checkpoint", "none: a failure loses all steps"});
  }

  void check_amount() {
    const double days = static_cast<double>(plan().period.count()) / 8.64e16;
    const double failures = plan().failures_per_day() * days * plan().runs;
    if (failures > max_failures)
      errors_.add(
          element_.error(fmt::format("<goodput>: about {:.1e} failures would be played ({:.0e} at most; "
                                     "fewer runs, or a shorter period)",
                                     failures, max_failures)));
  }

  const Element& element_;
  bool has_workload_;
  const Model& model_;
  ErrorList& errors_;
  GoodputRequest request_;
  FailureRates rates_;
  std::vector<DeclaredParameter> parameters_;
};

}  // namespace

ModelPart read_goodput(const Scenario& scenario, const Model& model, ErrorList& errors) {
  const Element* element = scenario.root.child("goodput");
  if (!element) return {};
  return GoodputReader(*element, scenario.root.child("workload") != nullptr, model, errors).read();
}

}  // namespace lightrail
