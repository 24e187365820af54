#include "app/plan/fit.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/generate/training/training_memory.hpp"
#include "workloads/generate/training/training_plan.hpp"

namespace lightrail {
Element with_plan(Element workload, const PlanAttributes& plan) {
  for (const auto& [name, value] : plan) workload.set(name, value);
  return workload;
}

PlanFit fit_plan(const Element& workload, const Transformer& model, std::uint32_t gpus,
                 const AlgorithmRegistry& algorithms) {
  PlanFit fit;
  TrainingPlan plan;
  try {
    ErrorList errors;
    read_training_plan(workload, model, gpus, algorithms, plan, errors);
    errors.throw_if_any();
  } catch (const InputErrors& problem) {
    fit.refused = problem.errors().front().what;
    return fit;
  }
  for (std::uint32_t stage = 0; stage < plan.pp; ++stage)
    fit.memory_bytes = std::max(fit.memory_bytes, training_memory(model, plan, stage).total());
  fit.shape = shape_of(plan, model);
  fit.rough = (plan.recompute == Recompute::full ? 4.0 / 3 : 1) *
              (1 + fit.shape.bubble / static_cast<double>(fit.shape.micro_batches));
  return fit;
}

}  // namespace lightrail
