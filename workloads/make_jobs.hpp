#pragma once
#include <memory>
#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/scenario/scenario.hpp"
#include "workloads/job/join_jobs.hpp"
#include "workloads/job/workload_registry.hpp"
#include "workloads/program/serving.hpp"

namespace lightrail {

struct MadeJobs {
  Job job;                                   ///< all of them
  std::vector<PlacedJob> placed;             ///< empty: a single job that has all GPUs
  std::shared_ptr<ServingPlan> serving;      ///< of inference; else null
  const Element* serving_element = nullptr;  ///< its <workload>
};

/// Reads <groups> and every <workload>. One alone, without a name, start or placement, has all GPUs of the
/// system. Several, or one with these, are jobs with GPUs of their own, made each as if it had a system of so
/// many GPUs and joined. Mistakes go to `errors`; the job is then incomplete.
[[nodiscard]] MadeJobs make_jobs(const Scenario& scenario, const WorkloadRegistry& kinds, const Model& model,
                                 ErrorList& errors);

/// The <workload> whose job a mistake names that was found when all jobs met the system ("'NAME.stage 0'");
/// else the first one. Null: there is none.
[[nodiscard]] const Element* workload_named_in(const std::string& text, const Element& root);

}  // namespace lightrail
