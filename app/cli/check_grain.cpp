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

/// How many GPUs execute an iteration.
struct Executing {
  std::int64_t all = 0;
  std::int64_t here = 0;  ///< on this rank
};

Executing executing(std::uint32_t iteration, const Model& model, const Partition& partition, int rank) {
  const auto* set = model.resource<ProgramSet>();
  const auto* book = model.resource<AddressBook>();
  Executing gpus;
  if (!set || !book) return gpus;
  for (std::size_t gpu = 0; gpu < set->program_of_gpu.size(); ++gpu) {
    const Program& program = set->programs[set->program_of_gpu[gpu]];
    if (program.ops.empty() || set->iterations_of(program) <= iteration) continue;
    ++gpus.all;
    const ComponentRecord& component = model.components[book->component_of[gpu].value];
    gpus.here += partition.rank_of(component) == rank ? 1 : 0;
  }
  return gpus;
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
  const Executing gpus = executing(steps_.last, model_, partition_, mpi.rank());
  if (here.gpus == 0 || here.gpus < gpus.all) return std::nullopt;
  RunOptions options = options_;
  options.stop_at = here.begin + 3 * (here.end - here.begin);
  const std::int64_t enough = here.gpus == gpus.all ? gpus.here : StepSpan::all_rows;
  const StepRun run = run_step(model_, partition_, options, mpi.comm(), steps_, enough);
  const StepSpan::Span& there = run.step;
  const bool has_ended = there.gpus == here.gpus;
  if (!has_ended && run.end < options.stop_at) return std::nullopt;
  return GrainCheck{packets_, (here.end - here.start).count(),
                    has_ended ? (there.end - there.start).count() : 0, steps_.first, steps_.last};
}

}  // namespace lightrail
