#include "engine/sync/deadlock_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "engine/base/polite_wait.hpp"
#include "engine/model/buffer_waits.hpp"
#include "engine/model/state_io.hpp"
#include "engine/sync/buffer_circle.hpp"
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

/// What the component at `place` has that waits for room at a neighbour.
void collect_edges(RankModel& model, std::uint32_t place, std::vector<BufferEdge>& edges) {
  const auto* holder = dynamic_cast<const HasBufferWaits*>(&model.component(place));
  if (!holder) return;
  const Model& all = model.model();
  const ComponentId id = model.id_of(place);
  for (const BufferWait& wait : holder->buffer_waits()) {
    const LinkId out = all.ports[all.components[id.value].first_port + wait.out].out;
    const auto& link = all.links[out.value];
    edges.push_back({{id, wait.in, wait.in_lane}, {link.to, link.to_port, wait.out_lane}});
  }
}

/// Of all ranks.
std::vector<BufferEdge> gather_edges(const std::vector<BufferEdge>& mine, MPI_Comm comm) {
  StateWriter out;
  for (const BufferEdge& edge : mine) out.put(edge);
  std::vector<int> counts;
  const std::vector<std::byte> all = gather_bytes(out.bytes(), comm, counts);
  std::vector<BufferEdge> edges;
  for (StateReader in(all); !in.is_at_end();) in.get(edges.emplace_back());
  return edges;
}

std::string circle_text(const Model& model, const std::vector<BufferPlace>& circle) {
  if (circle.empty()) return "";
  std::string text = fmt::format("{} buffers wait in a circle, each for room in the next:", circle.size());
  for (std::size_t i = 0; i < std::min(circle.size(), limit); ++i)
    text += fmt::format("{} {} port {} lane {}", i > 0 ? "," : "", model.component_name(circle[i].component),
                        circle[i].port, circle[i].lane);
  return circle.size() > limit ? text + " ..." : text;
}

}  // namespace

DeadlockReport report_waits(RankModel& model, SimTime end, MPI_Comm comm) {
  DeadlockReport report;
  std::vector<Wait> first;
  std::vector<BufferEdge> edges;
  std::optional<Failure> failure;
  for (const std::uint32_t place : model.places()) {
    try {
      collect_edges(model, place, edges);
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
  report.circle = circle_text(model.model(), find_circle(gather_edges(edges, comm)));
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
