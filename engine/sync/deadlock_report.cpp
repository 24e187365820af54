#include "engine/sync/deadlock_report.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "engine/base/polite_wait.hpp"
#include "engine/model/state_io.hpp"
#include "engine/sync/failure.hpp"

namespace lightrail {
namespace {

constexpr std::size_t limit = 20;

struct Wait {
  ComponentId who{};
  std::string text;
};

std::vector<std::byte> gather_bytes(std::span<const std::byte> mine, MPI_Comm comm,
                                    std::vector<int>& counts) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const int count = static_cast<int>(mine.size());
  counts.resize(static_cast<std::size_t>(ranks));
  MPI_Request request;
  MPI_Iallgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm, &request);
  wait_politely(request);
  std::vector<int> starts(counts.size(), 0);
  for (std::size_t r = 1; r < counts.size(); ++r) starts[r] = starts[r - 1] + counts[r - 1];
  std::vector<std::byte> all(static_cast<std::size_t>(starts.back() + counts.back()));
  MPI_Iallgatherv(mine.data(), count, MPI_BYTE, all.data(), counts.data(), starts.data(), MPI_BYTE, comm,
                  &request);
  wait_politely(request);
  return all;
}

}  // namespace

DeadlockReport report_waits(RankModel& model, SimTime end, MPI_Comm comm) {
  DeadlockReport report;
  std::vector<Wait> first;
  std::optional<Failure> failure;
  for (const std::uint32_t place : model.places()) {
    try {
      for (std::string& text : model.component(place).waits_for()) {
        ++report.total;
        if (first.size() < limit) first.push_back({model.id_of(place), std::move(text)});
      }
    } catch (...) {
      keep_first(failure, component_failure(model.model(), model.id_of(place), end));
    }
  }
  agree_on_failure(comm, failure);
  StateWriter out;
  for (const Wait& wait : first)
    out.put(wait.who), out.put(std::vector<char>(wait.text.begin(), wait.text.end()));

  std::vector<int> counts;
  const std::vector<std::byte> all = gather_bytes(out.bytes(), comm, counts);
  all_reduce(&report.total, 1, MPI_INT64_T, MPI_SUM, comm);
  std::vector<Wait> waits;
  for (StateReader in(all); !in.is_at_end();) {
    Wait wait;
    std::vector<char> text;
    in.get(wait.who), in.get(text);
    wait.text.assign(text.begin(), text.end());
    waits.push_back(std::move(wait));
  }
  std::stable_sort(waits.begin(), waits.end(), [](const Wait& x, const Wait& y) { return x.who < y.who; });
  waits.resize(std::min(waits.size(), limit));
  for (const Wait& wait : waits)
    report.waits.push_back(model.model().component_name(wait.who) + ": " + wait.text);
  return report;
}

}  // namespace lightrail
