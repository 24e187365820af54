#include "app/cli/check_grain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
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

Model build_finer(const ReadScenario& scenario, const Registry& registry, CommandLine& line,
                  const Model& model) {
  return model_to_run(
      build_model(with_trains(scenario, shorter(longest_trains(model), line.check_grain)), registry, line));
}

}  // namespace

FinerRun::FinerRun(const ReadScenario& scenario, const Registry& registry, CommandLine line,
                   const Model& model, int ranks)
    : packets_(line.check_grain),
      model_(build_finer(scenario, registry, line, model)),
      partition_(make_partition(model_, ranks, line.partition)),
      options_(line.run) {}

std::optional<GrainCheck> FinerRun::check(const FirstStep& step, const MpiSession& mpi) const {
  const FirstStep::Span here = step.span(mpi.comm());
  if (here.gpus == 0) return std::nullopt;
  RunOptions options = options_;
  options.stop_at = here.start + 3 * (here.end - here.start);
  const StepRun run = run_step(model_, partition_, options, mpi.comm());
  const FirstStep::Span& there = run.step;
  const bool has_ended = there.gpus == here.gpus;
  if (!has_ended && run.end < options.stop_at) return std::nullopt;
  return GrainCheck{packets_, (here.end - here.start).count(),
                    has_ended ? (there.end - there.start).count() : 0};
}

}  // namespace lightrail
