#include "workloads/generate/training/step_over_plan.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "workloads/generate/training/training_plan.hpp"

namespace lightrail {
namespace {

bool is_interleaved(const TrainingPlan& plan) {
  return plan.schedule == Schedule::one_f_one_b && plan.chunks > 1;
}

bool has_long_periods(const TrainingPlan& plan) {
  return is_interleaved(plan) || plan.is_bidirectional();
}

/// Interleaved 1F1B goes through its chunks in rounds of pp micro-batches; all others do the same again with
/// the next micro-batch, of each direction.
std::int64_t period_of(const TrainingPlan& plan) {
  return is_interleaved(plan) ? plan.pp : 1;
}

/// From that micro-batch on, every stage is in its steady order before it comes: in interleaved 1F1B after
/// (1 + 1 / chunks) rounds, in ZB-H1 when gradients of weights have come to lag (pipeline_schedule.hpp).
std::int64_t filled_at(const TrainingPlan& plan) {
  if (plan.pp == 1) return 1;
  const bool takes_longer = is_interleaved(plan) || plan.schedule == Schedule::zb_h1;
  return plan.is_bidirectional() ? plan.pp - 1 : (takes_longer ? 2 : 1) * std::int64_t{plan.pp};
}

/// Unless the plan says other numbers: fewer periods where one has several micro-batches.
std::int64_t settling(const TrainingPlan& plan) {
  return plan.settling_periods > 0 ? plan.settling_periods : has_long_periods(plan) ? 1 : 2;
}
std::int64_t measured(const TrainingPlan& plan) {
  return plan.measured_periods > 0 ? plan.measured_periods : has_long_periods(plan) ? 2 : 4;
}

/// Micro-batches through a chunk of the shortest step that shows its periods: the last of them ends with a
/// forward pass, before the pipeline drains.
std::int64_t shortest(const TrainingPlan& plan) {
  return filled_at(plan) + (settling(plan) + measured(plan) + 1) * period_of(plan);
}

/// Of a step of so many micro-batches.
std::vector<ChunkPass> passes_of(const TrainingPlan& plan, std::uint32_t stage, std::int64_t micro_batches) {
  switch (plan.schedule) {
    case Schedule::one_f_one_b:
      return plan.overlap_experts ? paired_schedule(stage, plan.pp, plan.chunks, micro_batches)
                                  : interleaved_schedule(stage, plan.pp, plan.chunks, micro_batches);
    case Schedule::zb_h1:
      return zb_h1_schedule(stage, plan.pp, micro_batches);
    case Schedule::dualpipe:
      return dualpipe_schedule(stage, plan.pp, micro_batches);
  }
  fail_contract("a schedule has passes", __FILE__, __LINE__);
}

}  // namespace

SteppedPipeline stepped_pipeline(const TrainingPlan& plan) {
  SteppedPipeline steps;
  if (!has_pipeline(plan.step_over)) return steps;
  steps.period = period_of(plan);
  const std::int64_t left = plan.chunk_micro_batches() - shortest(plan);
  if (left < steps.period) return steps;
  steps.begin = filled_at(plan) + settling(plan) * steps.period;
  steps.middle = steps.begin + measured(plan) / 2 * steps.period;
  steps.end = steps.begin + measured(plan) * steps.period;
  steps.skipped = left / steps.period * steps.period;
  return steps;
}

std::vector<ChunkPass> TrainingPlan::passes(std::uint32_t stage) const {
  const SteppedPipeline steps = stepped_pipeline(*this);
  std::vector<ChunkPass> order = passes_of(*this, stage, micro_batches() - steps.skipped * copies());
  for (ChunkPass& pass : order)
    if (pass.micro_batch >= steps.end) pass.micro_batch += steps.skipped;
  return order;
}

std::uint32_t steady_chunk(const TrainingPlan& plan, std::uint32_t stage) {
  return plan.is_bidirectional() && stage >= plan.pp / 2 ? 1 : 0;
}

void describe_step_over(Describe<TrainingPlan>& table) {
  table
      .field("settling-periods", &TrainingPlan::settling_periods,
             "with step-over=\"pipeline\": periods after the pipeline has filled that are not measured; 0: "
             "2, or 1 of "
             "DualPipe and interleaved 1F1B",
             0u, 100'000u)
      .field("measured-periods", &TrainingPlan::measured_periods,
             "with step-over=\"pipeline\": periods (micro-batches; of DualPipe two, of interleaved 1F1B pp) "
             "that are "
             "measured, an even number, whose second half stands for those left out; 0: 4, or 2",
             0u, 100'000u);
}

void check_step_over(const TrainingPlan& plan, const std::function<void(const std::string&)>& refuse) {
  if (!has_pipeline(plan.step_over)) {
    if (plan.settling_periods > 0 || plan.measured_periods > 0)
      refuse("settling-periods and measured-periods need step-over=\"pipeline\"");
    return;
  }
  if (plan.measured_periods % 2 != 0)
    refuse(fmt::format("measured-periods = {} (expected an even number: halves are compared)",
                       plan.measured_periods));
  if (plan.gate.drift != 0 && !plan.gate.is_even())
    refuse("step-over=\"pipeline\" with a <gate> that drifts: no micro-batch repeats another one");
}

const Element* storage_child(const WorkloadContext& context, const char* name) {
  const std::vector<const Element*> all = context.element.children_named(name);
  if (all.empty()) return nullptr;
  if (all.size() > 1)
    context.errors.add(all[1]->error(fmt::format("<workload> has two <{}>, expected one", name)));
  const auto refuse = [&](const char* shortcut) {
    context.errors.add(
        all[0]->error(fmt::format("<{}> with {}, which leaves out what storage would see", name, shortcut)));
  };
  if (has_pipeline(step_over_of(context.element))) refuse("step-over=\"pipeline\"");
  if (const Attribute* given = context.element.find("fold"); given && given->value != "1") refuse("'fold'");
  return all[0];
}

std::string step_over_note(const TrainingPlan& plan) {
  if (!has_pipeline(plan.step_over)) return "";
  const std::int64_t all = plan.micro_batches();
  const SteppedPipeline steps = stepped_pipeline(plan);
  if (steps.skipped == 0)
    return fmt::format(
        "step-over=\"pipeline\" finds nothing to leave out of {} micro-batches (it needs {}); energy is left "
        "out all the same",
        all, (shortest(plan) + period_of(plan)) * plan.copies());
  return fmt::format(
      "{} of {} micro-batches are stepped over: steps, exposed, traffic and traffic_matrix have all of them; "
      "every other table, and the clock of the run, what was simulated; energy is left out "
      "(docs/scaling.md)",
      steps.skipped * plan.copies(), all);
}

}  // namespace lightrail
