#include "workloads/generate/training/offload_plan.hpp"

#include <cstdint>

#include "workloads/generate/training/training_plan.hpp"

namespace lightrail {

void describe_offload(Describe<TrainingPlan>& table) {
  table
      .field("offload-layers", &TrainingPlan::offload_layers,
             "first layers of every chunk whose activations go to the host's memory until the backward pass",
             std::int64_t{0}, std::int64_t{10'000})
      .field("offload-optimizer", &TrainingPlan::offloads_optimizer,
             "the optimiser's state is in the host's memory from one update to the next");
}

void check_offload(const TrainingPlan& plan, const std::function<void(const std::string&)>& refuse) {
  if (plan.offload_layers == 0) return;
  if (plan.schedule != Schedule::one_f_one_b)
    refuse("offload-layers with another schedule than 1f1b, whose backward passes need activations once");
  if (plan.recompute == Recompute::full)
    refuse(R"(offload-layers with recompute="full", which keeps a layer's input alone)");
}

}  // namespace lightrail
