#include "workloads/make_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "network/circuits/has_circuits.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/job/gpu_slots.hpp"
#include "workloads/job/workload_context.hpp"
#include "workloads/job_maker.hpp"
#include "workloads/job_spec.hpp"

namespace lightrail {
namespace {

constexpr const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

bool is_one_of_several(const Element& workload) {
  return workload.find("name") || workload.find("gpu-count") || workload.find("placement") ||
         workload.find("start") || workload.find("active");
}

/// `read` is a copy of `element`: what was read of it was read.
void mark_read(const Element& element, const Element& read) {
  element.is_read |= read.is_read;
  for (const Attribute& attribute : read.attributes)
    if (attribute.is_read) static_cast<void>(element.find(attribute.name));
  element.asked_children = read.asked_children;
  element.asked_attributes = read.asked_attributes;
  for (std::size_t i = 0; i < read.children.size(); ++i) mark_read(element.children[i], read.children[i]);
}

bool is_trace(const Element& workload) {
  const Attribute* kind = workload.find("kind");
  return kind && kind->value == "trace";
}

/// What does not go together with other jobs.
std::string obstacle(const Job& job) {
  if (job.programs.steps_over()) return "step-over: what others send meanwhile does not repeat itself";
  if (std::any_of(job.groups.begin(), job.groups.end(), [](const GroupKind& k) { return k.stands_for > 1; }))
    return "fold: replicas that meet other jobs' traffic are not alike";
  return "";
}

class JobsReader {
 public:
  JobsReader(const Scenario& scenario, const JobMaker& maker, const Model& model, ErrorList& errors)
      : scenario_(scenario),
        maker_(maker),
        model_(model),
        book_(*model.resource<AddressBook>()),
        slots_(gpu_slots(model, book_)),
        errors_(errors) {}

  MadeJobs read(const std::vector<const Element*>& workloads) {
    const std::size_t before = errors_.size();
    check_system(*workloads[0]);
    for (const Element* at : workloads) read_spec(*at);
    if (errors_.size() == before) place(workloads);
    if (errors_.size() > before) return {};
    for (std::size_t i = 0; i < workloads.size(); ++i) make(*workloads[i], i);
    if (errors_.size() > before) return {};
    return join(workloads);
  }

 private:
  void check_system(const Element& first) {
    if (has_circuits(model_)) errors_.add(first.error("jobs with a name are not simulated over circuits"));
    if (const Element* groups = scenario_.root.child("groups"))
      errors_.add(groups->error("where jobs have names, <groups> belongs into the <workload> that uses it"));
  }

  void complain(const Element& at, const char* attribute, const std::string& problem) {
    errors_.add(at.error_at(attribute, fmt::format("<workload> attribute '{}': {}", attribute, problem)));
  }

  void read_spec(const Element& at) {
    JobSpec spec;
    job_parameters().parse(at, spec, errors_);
    if (spec.name.empty())
      errors_.add(at.error("<workload> needs a 'name' beside other jobs, and where it has a place or start"));
    else if (spec.name.find_first_not_of(letters) != std::string::npos)
      complain(at, "name", fmt::format("'{}' (letters, digits, '-' and '_')", spec.name));
    else if (std::any_of(specs_.begin(), specs_.end(), [&](const JobSpec& s) { return s.name == spec.name; }))
      complain(at, "name", fmt::format("another job is called '{}'", spec.name));
    if ((spec.gpu_count > 0) == !spec.gpus.empty())
      errors_.add(at.error("<workload> of a job needs 'gpus' or 'gpu-count', one of them"));
    if (!spec.gpus.empty() && at.find("placement"))
      complain(at, "placement", "'gpus' says which GPUs the job has");
    specs_.push_back(spec);
    placed_.push_back({.name = spec.name, .start = spec.start});
    if (!spec.gpus.empty()) take_list(at, spec.gpus);
  }

  void take_list(const Element& at, const std::string& list) {
    const auto number = static_cast<std::uint32_t>(placed_.size() - 1);
    std::vector<std::uint32_t>& gpus = placed_.back().gpus;
    const std::string problem = parse_gpu_list(list, book_.gpu_count, gpus);
    if (!problem.empty()) return complain(at, "gpus", problem);
    for (const std::uint32_t gpu : gpus) {
      const std::uint32_t owner = slots_.job[gpu];
      if (owner == number) return complain(at, "gpus", fmt::format("gpu {} twice", gpu));
      if (owner != GpuSlots::nobody)
        return complain(at, "gpus", fmt::format("gpu {} belongs to job '{}'", gpu, placed_[owner].name));
      slots_.job[gpu] = number;
    }
  }

  /// Numbers of GPUs, from those that no list names, in the order of the jobs.
  void place(const std::vector<const Element*>& workloads) {
    for (std::uint32_t i = 0; i < placed_.size(); ++i) {
      if (specs_[i].gpu_count == 0) continue;
      const std::string problem =
          place_gpus(specs_[i].placement, specs_[i].gpu_count, i, model_.seed, slots_, placed_[i].gpus);
      if (!problem.empty()) complain(*workloads[i], "gpu-count", problem);
    }
  }

  void make(const Element& at, std::size_t number) {
    // Kinds have a list of GPUs of their own by that name.
    Element own = at;
    std::erase_if(own.attributes, [](const Attribute& attribute) { return attribute.name == "gpus"; });
    PlacedJob& placed = placed_[number];
    const auto refuse = [&](const std::string& why) {
      errors_.add(at.error(fmt::format("job '{}' cannot be one with a name: {}", placed.name, why)));
    };
    if (is_trace(at)) return refuse("a trace, which is set against its own capture");
    const std::size_t before = errors_.size();
    WorkloadJob made = maker_.make(&own, own.child("groups"), placed.gpus);
    mark_read(at, own);
    if (errors_.size() > before) return;
    if (const std::string problem = obstacle(made.job); !problem.empty()) return refuse(problem);
    if (made.serving) take_serving(at, number, std::move(made.serving));
    placed.job = std::move(made.job);
    if (!specs_[number].is_active) placed.job = JobBuilder(placed.job.gpu_count).take();
  }

  void take_serving(const Element& at, std::size_t number, std::shared_ptr<ServingPlan> serving) {
    const std::vector<std::uint32_t>& gpus = placed_[number].gpus;
    for (std::size_t i = 1; i < gpus.size(); ++i)
      if (gpus[i] != gpus[0] + i)
        return complain(at, specs_[number].gpu_count > 0 ? "gpu-count" : "gpus",
                        fmt::format("inference needs GPUs that follow each other (gpu {} comes after gpu {})",
                                    gpus[i], gpus[i - 1]));
    if (serving_) return errors_.add(at.error("a second job of inference (there is one scheduler)"));
    if (!specs_[number].is_active) return;
    serving_ = std::move(serving);
    serving_job_ = number;
    for (ServingPool& pool : serving_->pools) pool.first_gpu += gpus[0];
    for (ServingRequest& request : serving_->requests) request.arrival += specs_[number].start;
  }

  MadeJobs join(const std::vector<const Element*>& workloads) {
    MadeJobs made;
    try {
      made.job = join_jobs(placed_, book_.gpu_count);
    } catch (const InputErrors& problem) {
      errors_.add(workloads.back()->error(problem.errors()[0].what));
      return {};
    }
    if (serving_) {
      const PlacedJob& served = placed_[serving_job_];
      for (std::uint16_t* dimension : {&serving_->kv_dimension, &serving_->users.dimension})
        *dimension = static_cast<std::uint16_t>(*dimension + served.first_dimension);
      auto& units = serving_->unit_of_shape;
      units.insert(units.begin(), served.first_shape, BatchUnit::fixed);
      units.resize(made.job.programs.shapes.size(), BatchUnit::fixed);
      serving_->programs.insert(serving_->programs.begin(), served.first_program, ServingProgram{});
      made.serving_element = workloads[serving_job_];
    }
    made.placed = std::move(placed_);
    made.serving = std::move(serving_);
    return made;
  }

  const Scenario& scenario_;
  const JobMaker& maker_;
  const Model& model_;
  const AddressBook& book_;
  GpuSlots slots_;
  ErrorList& errors_;
  std::vector<JobSpec> specs_;     ///< by job
  std::vector<PlacedJob> placed_;  ///< by job
  std::shared_ptr<ServingPlan> serving_;
  std::size_t serving_job_ = 0;
};

}  // namespace

MadeJobs make_jobs(const Scenario& scenario, const WorkloadRegistry& kinds, const Model& model,
                   ErrorList& errors) {
  const JobMaker maker(scenario, kinds, model, errors);
  const auto workloads = scenario.root.children_named("workload");
  const auto* book = model.resource<AddressBook>();
  if (book && book->gpu_count > 0 && !workloads.empty() &&
      (workloads.size() > 1 || is_one_of_several(*workloads[0])))
    return JobsReader(scenario, maker, model, errors).read(workloads);
  std::vector<std::uint32_t> all(book ? book->gpu_count : 0);
  std::iota(all.begin(), all.end(), 0);
  const Element* only = workloads.empty() ? nullptr : workloads[0];
  WorkloadJob made = maker.make(only, scenario.root.child("groups"), all);
  return {std::move(made.job), {}, std::move(made.serving), only};
}

const Element* workload_named_in(const std::string& text, const Element& root) {
  const auto workloads = root.children_named("workload");
  for (const Element* workload : workloads)
    if (const Attribute* name = workload->find("name");
        name && text.find(fmt::format("'{}.", name->value)) != std::string::npos)
      return workload;
  return workloads.empty() ? nullptr : workloads[0];
}

}  // namespace lightrail
