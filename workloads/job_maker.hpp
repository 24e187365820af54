#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/scenario/scenario.hpp"
#include "workloads/job/job.hpp"
#include "workloads/job/workload_registry.hpp"
#include "workloads/program/serving.hpp"

namespace lightrail {

struct WorkloadJob {
  Job job;
  std::shared_ptr<ServingPlan> serving;  ///< of inference; else null
};

/// Makes jobs of <workload> elements for GPUs of one system. The model has the system and the
/// AlgorithmRegistry.
class JobMaker {
 public:
  JobMaker(const Scenario& scenario, const WorkloadRegistry& kinds, const Model& model, ErrorList& errors);

  /// The job that `workload` describes, as if `gpus` of the system were all there are: GPU r of the job is
  /// gpus[r]. Null: one without operations. `groups`: <groups>, or null. Mistakes go to the errors; the job
  /// is then incomplete.
  [[nodiscard]] WorkloadJob make(const Element* workload, const Element* groups,
                                 const std::vector<std::uint32_t>& gpus) const;

 private:
  const Scenario& scenario_;
  const WorkloadRegistry& kinds_;
  const Model& model_;
  ErrorList& errors_;
};

}  // namespace lightrail
