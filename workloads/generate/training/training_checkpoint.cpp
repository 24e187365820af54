#include "workloads/generate/training/training_checkpoint.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "workloads/generate/training/training_plan.hpp"

namespace lightrail {

Describe<TrainingCheckpoint> checkpoint_parameters() {
  return Describe<TrainingCheckpoint>()
      .required("every", &TrainingCheckpoint::every, "steps from one save to the next", 1u, 65'535u)
      .choice("mode", &TrainingCheckpoint::mode,
              "the step waits until the state is written, or until it is in host memory",
              {{"synchronous", IoMode::from_host}, {"asynchronous", IoMode::background}})
      .field("restore", &TrainingCheckpoint::restores, "the first step begins with reading the state")
      .field("planning", &TrainingCheckpoint::planning, "of a save, before it writes", SimTime{0},
             milliseconds(3'600'000))
      .field("serialise-rate", &TrainingCheckpoint::serialise_rate,
             "of the process of one GPU, before it writes; 0: takes no time", BitRate{0},
             BitRate{1'000'000'000'000'000});
}

std::optional<TrainingCheckpoint> read_checkpoint(const WorkloadContext& context) {
  const std::vector<const Element*> all = context.element.children_named("checkpoint");
  if (all.empty()) return std::nullopt;
  if (all.size() > 1) context.errors.add(all[1]->error("<workload> has two <checkpoint>, expected one"));
  const Element& element = *all[0];
  TrainingCheckpoint plan;
  checkpoint_parameters().parse(element, plan, context.errors);
  plan.is_read_again = context.restarts;
  if (context.storage_servers == 0)
    context.errors.add(element.error("<checkpoint> needs a storage server, and the system has none"));
  if (context.hosts == 0)
    context.errors.add(element.error("<checkpoint> is staged in host memory, and the system has no <host>"));
  const auto refuse = [&](const char* shortcut) {
    context.errors.add(element.error(
        fmt::format("<checkpoint> with {}, which leaves out what storage would see", shortcut)));
  };
  if (has_pipeline(step_over_of(context.element))) refuse("step-over=\"pipeline\"");
  if (const Attribute* given = context.element.find("fold"); given && given->value != "1") refuse("'fold'");
  return plan;
}

std::int64_t staged_bytes(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage) {
  if (!plan.shards_parameters) return saved_bytes(model, plan, stage);
  const StageParameters p = trained_parameters(model, plan, stage);
  const std::int64_t dense = plan.shard_gpus(), expert = plan.expert_shard_gpus();
  return (2 + plan.optimizer_bytes()) *
         (padded_to(p.dense(), dense) / dense + padded_to(p.expert(), expert) / expert);
}

std::int64_t restored_bytes(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage) {
  if (plan.shards_parameters) return staged_bytes(model, plan, stage);
  const StageParameters p = trained_parameters(model, plan, stage);
  const std::int64_t dense = plan.distributed_optimizer ? plan.gradient_gpus() : 1;
  const std::int64_t expert = plan.distributed_optimizer ? plan.expert_dp() : 1;
  return 2 * (p.dense() + p.expert()) + plan.optimizer_bytes() * (padded_to(p.dense(), dense) / dense +
                                                                  padded_to(p.expert(), expert) / expert);
}

std::int64_t saved_bytes(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage) {
  const StageParameters p = trained_parameters(model, plan, stage);
  const std::int64_t dense = plan.gradient_gpus(), expert = plan.expert_dp();
  return (2 + plan.optimizer_bytes()) *
         (padded_to(p.dense(), dense) / dense + padded_to(p.expert(), expert) / expert);
}

}  // namespace lightrail
