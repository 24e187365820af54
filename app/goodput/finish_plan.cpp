#include "app/goodput/finish_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace lightrail {
namespace {

/// The last iteration of one of several jobs, or of the only one; null: none has ended.
const IterationSummary* last_of(const Summary& summary, const std::string& job) {
  if (job.empty()) return summary.last_iteration();
  for (const IterationSummary* last : summary.last_iterations())
    if (last->job == job) return last;
  return nullptr;
}

/// Of the mean GPU in the iteration.
SimTime storage_time(const Summary& summary, const IterationSummary& step) {
  for (const ExposedSummary& part : summary.exposed)
    if (part.iteration == step.iteration && part.use == "storage")
      return SimTime{part.time_ps / std::max<std::int64_t>(1, step.gpus)};
  return {};
}

/// From the first storage write of the iteration to the end of the last one.
SimTime write_time(const ResultReader& result, std::int64_t iteration) {
  const std::vector<std::string> kinds = result.labels("/tables/ops/kind");
  const auto write = std::find(kinds.begin(), kinds.end(), "storage_write") - kinds.begin();
  const auto kind = result.numbers("/tables/ops/kind"), of = result.numbers("/tables/ops/iteration"),
             start = result.numbers("/tables/ops/t_start_ps"), end = result.numbers("/tables/ops/t_end_ps");
  std::int64_t first = time_never.count(), last = 0;
  for (std::size_t i = 0; i < kind.size(); ++i) {
    if (kind[i] != write || of[i] != iteration) continue;
    first = std::min(first, start[i]);
    last = std::max(last, end[i]);
  }
  if (last == 0)
    result.fail(
        "no storage write of the last iteration is recorded, which <checkpoint> without 'write' needs "
        "(the table ops has those of the first 8 GPUs, or of those that <output> names)");
  return SimTime{last - first};
}

}  // namespace

GoodputPlan finished_plan(const GoodputRequest& request, const Summary& summary, const ResultReader& result) {
  GoodputPlan plan = request.plan;
  if (!request.simulates()) return plan;
  const IterationSummary* step = last_of(summary, request.job);
  if (!step || step->step_ps() <= 0)
    result.fail("no GPU has ended an iteration, whose time <goodput> without 'step' needs");
  if (request.simulates_step) plan.step = SimTime{step->step_ps()};
  if (!request.simulates_write) return plan;
  const SimTime waited = storage_time(summary, *step), write = write_time(result, step->iteration);
  if (request.simulates_step) plan.step -= waited;
  if (plan.step <= SimTime{}) result.fail("the last iteration is nothing but waiting for storage");
  plan.checkpoint->blocking = request.is_synchronous ? write : waited;
  plan.checkpoint->write = request.is_synchronous ? SimTime{} : std::max(SimTime{}, write - waited);
  return plan;
}

}  // namespace lightrail
