#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/polite_wait.hpp"
#include "engine/record/summary_collector.hpp"

namespace lightrail {
namespace {

void all_reduce(MPI_Comm comm, MPI_Op op, std::vector<std::int64_t>& values) {
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, op, comm,
                 &request);
  wait_politely(request);
}

/// The rows of all ranks, sorted. A row is of int64 only.
template <class Row>
std::vector<Row> merged_rows(MPI_Comm comm, const std::vector<Row>& rows) {
  constexpr int fields = sizeof(Row) / sizeof(std::int64_t);
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  LIGHTRAIL_EXPECT(rows.size() < (1u << 31) / fields);
  int mine = static_cast<int>(rows.size()) * fields;
  std::vector<int> counts(static_cast<std::size_t>(ranks)), starts(counts.size() + 1);
  MPI_Request request;
  MPI_Iallgather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, comm, &request);
  wait_politely(request);
  std::partial_sum(counts.begin(), counts.end(), starts.begin() + 1);
  std::vector<Row> all(static_cast<std::size_t>(starts.back() / fields));
  MPI_Iallgatherv(rows.data(), mine, MPI_INT64_T, all.data(), counts.data(), starts.data(), MPI_INT64_T, comm,
                  &request);
  wait_politely(request);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

std::vector<std::vector<SummaryCollector::Iteration>> SummaryCollector::merged_iterations(
    MPI_Comm comm) const {
  // Most runs have one attempt, and the same number on all ranks.
  std::vector<std::int64_t> attempts{-static_cast<std::int64_t>(iterations_.size())};
  all_reduce(comm, MPI_MIN, attempts);
  std::vector<std::vector<Iteration>> all = iterations_;
  all.resize(static_cast<std::size_t>(-attempts[0]));
  std::vector<std::int64_t> counts;
  for (const auto& own : all) counts.push_back(-static_cast<std::int64_t>(own.size()));
  all_reduce(comm, MPI_MIN, counts);
  std::vector<std::int64_t> min, sum;
  for (std::size_t a = 0; a < all.size(); ++a) {
    all[a].resize(static_cast<std::size_t>(-counts[a]));
    for (const Iteration& it : all[a]) {
      min.insert(min.end(), it.min.begin(), it.min.end());
      sum.insert(sum.end(), it.sum.begin(), it.sum.end());
    }
  }
  all_reduce(comm, MPI_MIN, min);
  all_reduce(comm, MPI_SUM, sum);
  std::size_t i = 0;
  for (std::vector<Iteration>& own : all)
    for (Iteration& it : own) {
      std::copy_n(&min[i * it.min.size()], it.min.size(), it.min.begin());
      std::copy_n(&sum[i * it.sum.size()], it.sum.size(), it.sum.begin());
      ++i;
    }
  return all;
}

SummaryCollector SummaryCollector::merged(MPI_Comm comm) const {
  SummaryCollector all = *this;
  all.iterations_ = merged_iterations(comm);
  all.exposed_.clear();
  for (const ExposedRow& row : merged_rows(comm, exposed_)) {
    if (!all.exposed_.empty() && all.exposed_.back().adds_to(row))
      all.exposed_.back().time_ps += row.time_ps;
    else
      all.exposed_.push_back(row);
  }
  all.collectives_ = merged_rows(comm, collectives_);
  all.requests_ = merged_rows(comm, requests_);
  all.storms_ = merged_rows(comm, storms_);
  all.restarts_ = merged_rows(comm, restarts_);
  all_reduce(comm, MPI_SUM, all.recalled_);
  std::vector<std::int64_t> sums = dimension_bytes_;
  sums.push_back(energy_nj_), sums.push_back(power_rows_);
  all_reduce(comm, MPI_SUM, sums);
  all.power_rows_ = sums.back(), sums.pop_back();
  all.energy_nj_ = sums.back(), sums.pop_back();
  all.dimension_bytes_ = std::move(sums);
  all_reduce(comm, MPI_MIN, all.stepped_over_);
  // After a resume one rank has what all GPUs did before it, and each has what its own have done since.
  std::vector<std::int64_t> latest;
  for (const std::int64_t step : latest_step_) latest.push_back(-step);
  all_reduce(comm, MPI_MIN, latest);
  for (std::size_t gpu = 0; gpu < latest.size(); ++gpu) {
    all.latest_step_[gpu] = -latest[gpu];
    if (latest_step_[gpu] < all.latest_step_[gpu]) all.compute_ps_[gpu] = all.exposed_ps_[gpu] = 0;
  }
  all_reduce(comm, MPI_SUM, all.compute_ps_);
  all_reduce(comm, MPI_SUM, all.exposed_ps_);
  return all;
}

void SummaryCollector::save(StateWriter& out) const {
  out.put(iterations_), out.put(exposed_), out.put(dimension_bytes_), out.put(collectives_);
  out.put(requests_), out.put(storms_), out.put(restarts_), out.put(recalled_);
  out.put(energy_nj_), out.put(power_rows_), out.put(stepped_over_), out.put(latest_step_),
      out.put(compute_ps_), out.put(exposed_ps_);
}

void SummaryCollector::load(StateReader& in) {
  in.get(iterations_), in.get(exposed_), in.get(dimension_bytes_), in.get(collectives_);
  in.get(requests_), in.get(storms_), in.get(restarts_), in.get(recalled_);
  in.get(energy_nj_), in.get(power_rows_), in.get(stepped_over_), in.get(latest_step_), in.get(compute_ps_),
      in.get(exposed_ps_);
}

}  // namespace lightrail
