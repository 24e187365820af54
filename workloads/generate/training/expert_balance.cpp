#include "workloads/generate/training/expert_balance.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "workloads/generate/training/training_plan.hpp"

namespace lightrail {

void describe_balance(Describe<TrainingPlan>& table) {
  table
      .choice("expert-balance", &TrainingPlan::expert_balance,
              "tokens of experts: even; forced (random scores, as benchmarks force them, drawn by layer); "
              "natural "
              "(by a <gate>)",
              {{"default", ExpertBalance::unsaid},
               {"even", ExpertBalance::even},
               {"forced", ExpertBalance::forced},
               {"natural", ExpertBalance::natural}})
      .field("balance-seed", &TrainingPlan::balance_seed, "of the draws of expert-balance=\"forced\"",
             std::int64_t{0}, INT64_MAX);
}

void read_balance(const Element& workload, const Transformer& model, TrainingPlan& plan,
                  const std::function<void(const std::string&)>& refuse) {
  // Padding takes the same time whatever comes.
  const bool has_gate = workload.child("gate") != nullptr;
  const bool is_forced = plan.expert_balance == ExpertBalance::forced;
  if (plan.expert_balance == ExpertBalance::natural && !has_gate)
    return refuse(R"(expert-balance="natural" without a <gate>, which says what experts get)");
  if (has_gate && (is_forced || plan.expert_balance == ExpertBalance::even))
    return refuse(fmt::format("expert-balance=\"{}\" with a <gate>", is_forced ? "forced" : "even"));
  if (workload.find("balance-seed") && !is_forced)
    return refuse(R"(balance-seed without expert-balance="forced")");
  if (!is_forced || plan.pads_to_capacity || model.experts % plan.ep != 0) return;
  Gate& gate = plan.gate;
  gate.rows = gate.size = plan.ep;
  gate.experts = static_cast<std::uint32_t>(model.experts);
  gate.seed = static_cast<std::uint64_t>(plan.balance_seed);
  gate.drawn_copies = plan.local_tokens() * model.active_experts;
  if (plan.capacity_factor > 0) gate.expert_capacity = plan.capacity(model);
}

void refuse_balance(const TrainingPlan& plan, const std::function<void(const std::string&)>& refuse) {
  if (plan.expert_balance != ExpertBalance::unsaid) refuse("expert-balance for a model without experts");
}

}  // namespace lightrail
