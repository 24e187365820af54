#include "app/cli/check_grain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "network/wire/address_book.hpp"
#include "workloads/program/program.hpp"
#include "workloads/program/restart_plan.hpp"

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
  if (model.resource<RestartPlan>())
    fail("jobs are restarted, and do iterations again; of such a run only the first can be checked");
  if (set->stepped_iterations.skipped > 0)
    fail("iterations are stepped over; of such a run only the first can be checked");
  if (line.check_steps.last >= all)
    fail(fmt::format("there is no iteration {}, counted from 0: the run has {}", line.check_steps.last, all));
  return line.check_steps;
}

/// The scenario with shorter trains, or with trains at all where the run has none.
Model build_finer(const ReadScenario& scenario, const Registry& registry, CommandLine& line,
                  const Model& model) {
  const auto build = [&](const ReadScenario& finer) {
    return model_to_run(build_model(finer, registry, line));
  };
  const ReadScenario whole = without_formulas(without_stretches(scenario));
  const auto* run = model.resource<RunDetail>();
  if (!run || has_trains(run->detail))
    return build(with_trains(whole, shorter(longest_trains(model), line.check_grain)));
  const ReadScenario in_trains = with_detail(whole, Detail::trains);
  Model trains = build(in_trains);
  const LongestTrains longest = longest_trains(trains);
  if (std::max(longest.fabric, longest.nvlink) <= line.check_grain) return trains;
  return build(with_trains(in_trains, shorter(longest, line.check_grain)));
}

/// How many GPUs execute an iteration.
struct Executing {
  std::int64_t all = 0;
  std::int64_t here = 0;  ///< on this rank
};

template <class Visit>
void for_each_executing(std::uint32_t iteration, const Model& model, Visit&& visit) {
  const auto* set = model.resource<ProgramSet>();
  if (!set) return;
  for (std::size_t gpu = 0; gpu < set->program_of_gpu.size(); ++gpu) {
    const Program& program = set->programs[set->program_of_gpu[gpu]];
    if (!program.ops.empty() && set->iterations_of(program) > iteration) visit(gpu);
  }
}

/// In the run itself; nothing by formula, where one GPU is simulated for many.
std::optional<std::int64_t> count_executing(std::uint32_t iteration, const Model& model) {
  const auto* run = model.resource<RunDetail>();
  if (run && run->detail == Detail::formula) return std::nullopt;
  std::int64_t gpus = 0;
  for_each_executing(iteration, model, [&gpus](std::size_t) { ++gpus; });
  return gpus;
}

Executing executing(std::uint32_t iteration, const Model& model, const Partition& partition, int rank) {
  Executing gpus;
  const auto* book = model.resource<AddressBook>();
  if (!book) return gpus;
  for_each_executing(iteration, model, [&](std::size_t gpu) {
    ++gpus.all;
    const ComponentRecord& component = model.components[book->component_of[gpu].value];
    gpus.here += partition.rank_of(component) == rank ? 1 : 0;
  });
  return gpus;
}

}  // namespace

FinerRun::FinerRun(const ReadScenario& scenario, const Registry& registry, CommandLine line,
                   const Model& model, int ranks)
    : packets_(line.check_grain),
      steps_(checked_steps(line, model)),
      gpus_(count_executing(steps_.last, model)),
      model_(build_finer(scenario, registry, line, model)),
      partition_(make_partition(model_, ranks, line.partition)),
      options_(line.run) {}

std::optional<GrainCheck> FinerRun::check(const StepSpan& step, const MpiSession& mpi) const {
  const StepSpan::Span here = step.span(mpi.comm());
  if (here.gpus == 0 || here.gpus < gpus_.value_or(0)) return std::nullopt;
  const Executing finer = executing(steps_.last, model_, partition_, mpi.rank());
  const bool are_programs =
      !gpus_ || here.gpus == *gpus_;  // else rows are of something else, and as many there
  RunOptions options = options_;
  options.stop_at = here.begin + 3 * (here.end - here.begin);
  const StepRun run = run_step(model_, partition_, options, mpi.comm(), steps_,
                               are_programs ? finer.here : StepSpan::all_rows);
  const StepSpan::Span& there = run.step;
  const bool has_ended = there.gpus == (are_programs ? finer.all : here.gpus);
  if (!has_ended && run.end < options.stop_at) return std::nullopt;
  return GrainCheck{packets_, (here.end - here.start).count(),
                    has_ended ? (there.end - there.start).count() : 0, steps_.first, steps_.last};
}

}  // namespace lightrail
