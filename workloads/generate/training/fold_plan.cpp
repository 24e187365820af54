#include "workloads/generate/training/fold_plan.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "workloads/generate/training/training_plan.hpp"

namespace lightrail {

void describe_fold(Describe<TrainingPlan>& table) {
  table.field(
      "fold", &TrainingPlan::fold,
      "data-parallel replicas that each of the simulated ones stands for: the cluster is that part of "
      "the one meant, and collectives over replicas take the steps and shares of all",
      1u, 65'536u);
}

void check_fold(const Transformer& model, const TrainingPlan& plan,
                const std::function<void(const std::string&)>& refuse) {
  if (plan.fold == 1) return;
  if (plan.shards_parameters)
    refuse("fold with shard-parameters=\"on\" (replicas hold parts of each other's)");
  const std::int64_t copies = std::int64_t{plan.simulated_data_gpus()} * plan.copies();
  if (copies < 2)
    refuse(fmt::format("fold = {} leaves one replica, which has nobody to reduce with", plan.fold));
  if (!model.is_moe() || copies < 2) return;
  const std::int64_t expert_copies = plan.expert_dp() / plan.fold;
  if (expert_copies < 2)
    refuse(fmt::format("fold = {} leaves one GPU for each part of an expert, which has nobody to reduce with",
                       plan.fold));
}

std::string fold_note(const TrainingPlan& plan) {
  if (plan.fold == 1) return "";
  return fmt::format(
      "each of {} data-parallel replicas stands for {} (fold): the cluster is that part of the one meant, "
      "and so are all figures but those of the whole cluster; collectives over {} are rings with the steps "
      "and shares of {} "
      "(docs/scaling.md)",
      plan.dp / plan.fold, plan.fold, plan.dp / plan.fold, plan.dp);
}

}  // namespace lightrail
