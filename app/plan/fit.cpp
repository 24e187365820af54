#include "app/plan/fit.hpp"

#include <algorithm>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/generate/training/training_memory.hpp"
#include "workloads/generate/training/training_plan.hpp"

namespace lightrail {
namespace {

/// Share of a pipeline's time that no pass fills.
double bubble_of(const TrainingPlan& plan) {
  const auto passes = static_cast<double>(plan.micro_batches() * plan.chunks);
  // ZB-H1 leaves a third of 1F1B's, DualPipe about a half.
  const double left = plan.schedule == Schedule::zb_h1 ? 1.0 / 3 : plan.is_bidirectional() ? 0.5 : 1;
  return left * (plan.pp - 1) / passes;
}

}  // namespace

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
  fit.rough = (plan.recompute == Recompute::full ? 4.0 / 3 : 1) * (1 + bubble_of(plan));
  return fit;
}

}  // namespace lightrail
