#include "app/cli/check_grain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "components/gpu/tables.hpp"

namespace lightrail {
namespace {

TrainLengths shorter(const TrainLengths& trains, std::uint32_t packets) {
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
  return build_model(with_trains(scenario, shorter(longest_trains(model), line.check_grain)), registry, line);
}

}  // namespace

void FirstStep::append(TableId table, ComponentId component, SimTime time,
                       std::span<const std::int64_t> row) {
  if (to_) to_->append(table, component, time, row);
  if (table != tables::steps || row[1] != 0) return;
  span_.start = std::min(span_.start, SimTime{row[2]});
  span_.end = std::max(span_.end, SimTime{row[3]});
  ++span_.gpus;
  span_.compute += SimTime{row[4]};
  span_.exposed += SimTime{row[5]};
}

FirstStep::Span FirstStep::span(MPI_Comm comm) const {
  std::array<std::int64_t, 2> latest{-span_.start.count(), span_.end.count()};
  std::array<std::int64_t, 3> sums{span_.gpus, span_.compute.count(), span_.exposed.count()};
  MPI_Allreduce(MPI_IN_PLACE, latest.data(), 2, MPI_INT64_T, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 3, MPI_INT64_T, MPI_SUM, comm);
  return {SimTime{-latest[0]}, SimTime{latest[1]}, sums[0], SimTime{sums[1]}, SimTime{sums[2]}};
}

FinerRun::FinerRun(const ReadScenario& scenario, const Registry& registry, CommandLine line,
                   const Model& model, int ranks)
    : packets_(line.check_grain),
      model_(build_finer(scenario, registry, line, model)),
      partition_(make_partition(model_, ranks, line.partition)),
      options_(line.run) {
  options_.checkpoint = {};
  options_.checkpoint.folder = "none";
  options_.progress = Progress::none;
  options_.forecast = nullptr;
}

std::optional<GrainCheck> FinerRun::check(const FirstStep& step, const MpiSession& mpi) const {
  const FirstStep::Span here = step.span(mpi.comm());
  if (here.gpus == 0) return std::nullopt;
  RunOptions options = options_;
  options.stop_at = here.start + 3 * (here.end - here.start);
  FirstStep finer(nullptr);
  const RunResult result = Simulation(model_, partition_, mpi.comm(), finer).run(options);
  const FirstStep::Span there = finer.span(mpi.comm());
  const bool has_ended = there.gpus == here.gpus;
  if (!has_ended && result.end < options.stop_at) return std::nullopt;
  return GrainCheck{packets_, (here.end - here.start).count(),
                    has_ended ? (there.end - there.start).count() : 0};
}

}  // namespace lightrail
