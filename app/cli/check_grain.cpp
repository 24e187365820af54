#include "app/cli/check_grain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "workloads/program/program.hpp"

namespace lightrail {
namespace {

LongestTrains shorter(const LongestTrains& trains, std::uint32_t packets) {
  if (trains.fabric <= packets && trains.nvlink <= packets)
    throw InputErrors(InputError{
        "", 0,
        fmt::format("option --check-grain: '{}': the run has no longer trains ({} packets, {} on NVLink)",
                    packets, trains.fabric, trains.nvlink)});
  const std::uint64_t in_proportion = std::uint64_t{trains.nvlink} * packets / trains.fabric;
  return {std::min(trains.fabric, packets),
          trains.fabric > packets ? static_cast<std::uint32_t>(std::max<std::uint64_t>(in_proportion, 1))
                                  : std::min(trains.nvlink, packets)};
}

StepRange checked_steps(const CommandLine& line, const Model& model) {
  const auto* set = model.resource<ProgramSet>();
  if (!set || line.check_steps.last == 0) return line.check_steps;
  const auto fail = [](const std::string& what) {
    throw InputErrors(InputError{"", 0, "option --check-steps: " + what});
  };
  std::uint32_t all = 0;
  for (const Program& program : set->programs) all = std::max(all, set->iterations_of(program));
  if (set->stepped_iterations.skipped > 0)
    fail("iterations are stepped over; of such a run only the first can be checked");
  if (line.check_steps.last >= all)
    fail(fmt::format("there is no iteration {}, counted from 0: the run has {}", line.check_steps.last, all));
  return line.check_steps;
}

void require_trains(const Model& model) {
  const auto* run = model.resource<RunDetail>();
  if (run && !has_trains(run->detail))
    throw InputErrors(InputError{
        "", 0,
        fmt::format("option --check-grain: the run has no trains (detail=\"{}\"); lightrail ladder "
                    "compares details",
                    name_of(run->detail))});
}

Model build_finer(const ReadScenario& scenario, const Registry& registry, CommandLine& line,
                  const Model& model) {
  require_trains(model);
  const LongestTrains finer = shorter(longest_trains(model), line.check_grain);
  return model_to_run(build_model(with_trains(without_stretches(scenario), finer), registry, line));
}

}  // namespace

FinerRun::FinerRun(const ReadScenario& scenario, const Registry& registry, CommandLine line,
                   const Model& model, int ranks)
    : packets_(line.check_grain),
      steps_(checked_steps(line, model)),
      model_(build_finer(scenario, registry, line, model)),
      partition_(make_partition(model_, ranks, line.partition)),
      options_(line.run) {}

std::optional<GrainCheck> FinerRun::check(const StepSpan& step, const MpiSession& mpi) const {
  const StepSpan::Span here = step.span(mpi.comm());
  if (here.gpus == 0) return std::nullopt;
  RunOptions options = options_;
  options.stop_at = here.begin + 3 * (here.end - here.begin);
  const StepRun run = run_step(model_, partition_, options, mpi.comm(), steps_);
  const StepSpan::Span& there = run.step;
  const bool has_ended = there.gpus == here.gpus;
  if (!has_ended && run.end < options.stop_at) return std::nullopt;
  return GrainCheck{packets_, (here.end - here.start).count(),
                    has_ended ? (there.end - there.start).count() : 0, steps_.first, steps_.last};
}

}  // namespace lightrail
