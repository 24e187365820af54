// What a program's iterations are in the result, those among them that were counted in.
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "components/gpu/execution/program_runner.hpp"
#include "components/gpu/tables.hpp"
#include "components/gpu/transport/gpu_transport.hpp"

namespace lightrail {

void ProgramRunner::keep_step(Context& context, const GpuTransport& transport, StepRecord step) {
  if (steady_) steady_->end_step(step);
  if (!repeated_) return;
  IterationStretch::Figures figures{clock_.activity(context.now()), transport.sent()};
  if (steady_) figures.sent += steady_->sent();
  repeated_->end_iteration(std::move(step), std::move(figures));
}

void ProgramRunner::pass_marker(Context& context, const GpuTransport& transport, std::uint32_t op) {
  SteadyStretch::Figures figures{context.now(), clock_.so_far(context.now()), {}, transport.sent()};
  if (records_exposed_) figures.uses = exposed_.so_far(context.now());
  steady_->pass(op, std::move(figures));
}

void ProgramRunner::record_step(Context& context, std::int64_t iteration, const StepRecord& step) const {
  const StepClock::Totals& split = step.split;
  const SimTime idle = split.idle + split.host;
  const std::array<std::int64_t, 9> row{
      here_.value,           iteration,    step.start.count(), step.end.count(), split.compute.count(),
      split.exposed.count(), idle.count(), split.host.count(), step.attempt};
  context.record_at(step.simulated_start, tables::steps, row);
  for (const ExposedTime::Part& part : step.uses) {
    const auto index = [](std::uint16_t value) { return value == 0xffff ? std::int64_t{-1} : value; };
    const std::array<std::int64_t, 7> use{here_.value,
                                          iteration,
                                          static_cast<std::int64_t>(part.key.use),
                                          index(part.key.dimension),
                                          index(part.key.group),
                                          part.time.count(),
                                          step.attempt};
    context.record_at(step.simulated_start, tables::exposed, use);
  }
}

void ProgramRunner::record_whole_steps(Context& context, GpuTransport& transport) {
  std::vector<StepRecord> steps;
  if (steady_)
    steps = steady_->whole_steps();
  else
    steps.assign(repeated_->simulated().begin(), repeated_->simulated().end());
  if (repeated_) steps = repeated_->all(std::move(steps));
  for (std::size_t i = 0; i < steps.size(); ++i) record_step(context, static_cast<std::int64_t>(i), steps[i]);
  record_stepped_over(context);
  if (steady_) transport.count(steady_->sent());
  if (repeated_) transport.count(repeated_->sent());
}

void ProgramRunner::record_stepped_over(Context& context) const {
  enum What : std::int64_t { micro_batches, iterations };
  if (steady_) {
    const SteppedOver& by = steady_->stepped_over();
    for (std::size_t i = 0; i < steady_->steps().size(); ++i) {
      const SteadyStretch::Step& step = steady_->steps()[i];
      const std::array<std::int64_t, 10> row{
          self_.value,        static_cast<std::int64_t>(i),
          step.begin.count(), step.middle.count(),
          step.end.count(),   by.measured,
          by.skipped,         steady_->added_to(i).count(),
          micro_batches,      largest_difference(step.first, step.split).count()};
      context.record_at(step.record.simulated_start, tables::stepped_over, row);
    }
  }
  if (repeated_ && repeated_->is_whole()) {
    const SteppedIterations& by = repeated_->by();
    const StepRecord &one = repeated_->simulated()[by.settling],
                     &like = repeated_->simulated()[by.settling + 1];
    const std::array<std::int64_t, 10> row{self_.value,
                                           by.settling,
                                           one.simulated_start.count(),
                                           like.simulated_start.count(),
                                           like.simulated_start.count() + like.time().count(),
                                           2,
                                           by.skipped,
                                           repeated_->period().count() * by.skipped,
                                           iterations,
                                           repeated_->difference().count()};
    context.record_at(one.simulated_start, tables::stepped_over, row);
  }
}

}  // namespace lightrail
