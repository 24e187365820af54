#include "workloads/generate/training/expert_overlap.hpp"

#include <fmt/format.h>

#include "workloads/generate/training/training_plan.hpp"

namespace lightrail {

void check_expert_overlap(const Transformer& model, const TrainingPlan& plan,
                          const std::function<void(const std::string&)>& refuse) {
  if (!plan.overlap_experts) return;
  if (!model.is_moe() || plan.ep == 1)
    refuse("overlap-experts=\"on\" without expert parallelism (no exchange to hide)");
  if (plan.schedule != Schedule::one_f_one_b)
    refuse(R"(overlap-experts="on" with another schedule than 1f1b (DualPipe overlaps by itself))");
  else if (plan.pp > 1 && plan.chunks == 1)
    refuse(fmt::format(
        R"(overlap-experts="on" with pp = {} and chunks = 1 (expected chunks > 1, as Megatron Core does))",
        plan.pp));
  if (plan.recompute == Recompute::full) refuse(R"(overlap-experts="on" with recompute="full")");
  if (plan.shards_parameters) refuse(R"(overlap-experts="on" with shard-parameters="on")");
  if (plan.offload_layers > 0) refuse(R"(overlap-experts="on" with offload-layers)");
}

}  // namespace lightrail
