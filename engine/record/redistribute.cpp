#include "engine/record/redistribute.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/polite_wait.hpp"

namespace lightrail {

namespace {

/// A run of rows and where it lies in the file.
struct PlacedRun {
  RowRun run;
  int rank = 0;
  std::int64_t first_row = 0;
};

/// Every rank's runs, in the order of the file.
std::vector<PlacedRun> place_runs(MPI_Comm comm, std::int64_t written, const std::vector<RowRun>& runs) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  constexpr int fields = sizeof(RowRun) / sizeof(std::int64_t);
  LIGHTRAIL_EXPECT(runs.size() < (1u << 31) / fields);
  int mine = static_cast<int>(runs.size()) * fields;
  std::vector<int> counts(ranks), starts(ranks + 1);
  MPI_Request request;
  MPI_Iallgather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, comm, &request);
  wait_politely(request);
  std::partial_sum(counts.begin(), counts.end(), starts.begin() + 1);
  std::vector<RowRun> all(static_cast<std::size_t>(starts.back() / fields));
  MPI_Iallgatherv(runs.data(), mine, MPI_INT64_T, all.data(), counts.data(), starts.data(), MPI_INT64_T, comm,
                  &request);
  wait_politely(request);

  std::vector<PlacedRun> placed;
  placed.reserve(all.size());
  for (int rank = 0; rank < ranks; ++rank)
    for (int i = starts[rank] / fields; i < starts[rank + 1] / fields; ++i) placed.push_back({all[i], rank});
  std::sort(placed.begin(), placed.end(),
            [](const PlacedRun& x, const PlacedRun& y) { return x.run < y.run; });
  std::int64_t next = written;
  for (auto& p : placed) p.first_row = std::exchange(next, next + p.run.rows);
  return placed;
}

std::int64_t overlap(const PlacedRun& run, Slab slab) {
  return std::max<std::int64_t>(
      0, std::min(run.first_row + run.run.rows, slab.end) - std::max(run.first_row, slab.begin));
}

std::vector<int> starts_of(const std::vector<int>& counts) {
  std::vector<int> starts(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), 0);
  return starts;
}

}  // namespace

RowSlab redistribute(MPI_Comm comm, int writers, std::int64_t written, std::size_t width,
                     const std::vector<RowRun>& runs, const std::vector<std::int64_t>& rows) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::vector<PlacedRun> placed = place_runs(comm, written, runs);

  RowSlab result;
  result.total = placed.empty() ? written : placed.back().first_row + placed.back().run.rows;
  result.slab = rank < writers ? slab_of(written, result.total, rank, writers) : Slab{written, written};

  std::vector<int> sent(ranks), received(ranks);
  for (const auto& p : placed) {
    if (p.rank == rank)
      for (int w = 0; w < writers; ++w)
        sent[w] += static_cast<int>(overlap(p, slab_of(written, result.total, w, writers)));
    received[p.rank] += static_cast<int>(overlap(p, result.slab));
  }
  std::vector<int> send_at = starts_of(sent), receive_at = starts_of(received);
  const auto mine = static_cast<std::size_t>(result.slab.end - result.slab.begin);
  std::vector<std::int64_t> arrived(mine * width);
  // One item a row: counts of 32 bits last for 2 G rows.
  MPI_Datatype row_type;
  MPI_Type_contiguous(static_cast<int>(width), MPI_INT64_T, &row_type);
  MPI_Type_commit(&row_type);
  MPI_Request request;
  MPI_Ialltoallv(rows.data(), sent.data(), send_at.data(), row_type, arrived.data(), received.data(),
                 receive_at.data(), row_type, comm, &request);
  wait_politely(request);
  MPI_Type_free(&row_type);

  // A rank's rows arrive in the order of the file; its runs tell how they interleave with the others'.
  result.values.reserve(arrived.size());
  for (const auto& p : placed) {
    std::int64_t count = overlap(p, result.slab);
    auto from =
        arrived.begin() + static_cast<std::ptrdiff_t>(receive_at[p.rank] * static_cast<std::int64_t>(width));
    result.values.insert(result.values.end(), from,
                         from + static_cast<std::ptrdiff_t>(count * static_cast<std::int64_t>(width)));
    receive_at[p.rank] += static_cast<int>(count);
  }
  return result;
}

}  // namespace lightrail
