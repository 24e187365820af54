#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "engine/model/describe.hpp"
#include "workloads/job/step_over.hpp"
#include "workloads/job/workload_context.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

struct TrainingPlan;

/// The micro-batches that a step leaves out because between filling and draining the pipeline all repeats
/// itself: those from `end` on, `skipped` of them, counted through one chunk of a stage. Before them lie
/// those that show what a period is: [begin, middle) and [middle, end), each half of the measured periods.
struct SteppedPipeline {
  std::int64_t begin = 0, middle = 0, end = 0, skipped = 0;
  std::int64_t period = 1;  ///< micro-batches after which a stage does the same again

  [[nodiscard]] std::uint32_t periods(std::int64_t micro_batches) const {
    return static_cast<std::uint32_t>(micro_batches / period);
  }
};

/// Of a plan that steps over nothing, or whose micro-batches are too few: none skipped.
[[nodiscard]] SteppedPipeline stepped_pipeline(const TrainingPlan& plan);

/// The chunk of a stage whose forward passes, of all its micro-batches from the first of those on, lie in the
/// stage's steady order: in DualPipe the one that enters at the nearer end.
[[nodiscard]] std::uint32_t steady_chunk(const TrainingPlan& plan, std::uint32_t stage);

/// Adds the attributes to those of a plan that say what is stepped over.
void describe_step_over(Describe<TrainingPlan>& table);
/// What cannot be goes to `refuse`.
void check_step_over(const TrainingPlan& plan, const std::function<void(const std::string&)>& refuse);
/// The child of the workload that is called `name` and uses storage; null: there is none. Two of them, and
/// jobs that leave out micro-batches or replicas, whose storage would see less, are errors of the context.
[[nodiscard]] const Element* storage_child(const WorkloadContext& context, const char* name);
/// A sentence for the result; "" where nothing is asked for.
[[nodiscard]] std::string step_over_note(const TrainingPlan& plan);

}  // namespace lightrail
