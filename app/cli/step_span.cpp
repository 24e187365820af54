#include "app/cli/step_span.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "components/gpu/tables.hpp"

namespace lightrail {

void StepSpan::append(TableId table, ComponentId component, SimTime time, std::span<const std::int64_t> row) {
  if (to_) to_->append(table, component, time, row);
  constexpr std::size_t attempt = 8;
  if (table != tables::steps || row[1] > which_.last || row[attempt] > 0) return;
  span_.begin = std::min(span_.begin, SimTime{row[2]});
  if (row[1] < which_.first) return;
  span_.start = std::min(span_.start, SimTime{row[2]});
  span_.end = std::max(span_.end, SimTime{row[3]});
  if (row[1] == which_.last) ++span_.gpus;
  span_.compute += SimTime{row[4]};
  span_.exposed += SimTime{row[5]};
}

StepSpan::Span StepSpan::span(MPI_Comm comm) const {
  std::array<std::int64_t, 3> latest{-span_.start.count(), span_.end.count(), -span_.begin.count()};
  std::array<std::int64_t, 3> sums{span_.gpus, span_.compute.count(), span_.exposed.count()};
  MPI_Allreduce(MPI_IN_PLACE, latest.data(), 3, MPI_INT64_T, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 3, MPI_INT64_T, MPI_SUM, comm);
  return {SimTime{-latest[0]}, SimTime{latest[1]}, sums[0],
          SimTime{sums[1]},    SimTime{sums[2]},   SimTime{-latest[2]}};
}

StepRun run_step(const Model& model, const Partition& partition, RunOptions options, MPI_Comm comm,
                 StepRange which, std::int64_t gpus) {
  options.checkpoint = {};
  options.progress = Progress::none;
  options.forecast = nullptr;
  StepSpan rows(nullptr, which, gpus);
  const RunResult result = Simulation(model, partition, comm, rows).run(options);
  return {rows.span(comm), result.events, result.build_s + result.wall_s, result.end};
}

}  // namespace lightrail
