#include "workloads/import/kineto/capture_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/time.hpp"
#include "workloads/import/exposed_time.hpp"
#include "workloads/import/fastest_members.hpp"
#include "workloads/job/operation_names.hpp"
#include "workloads/trace/trace_columns.hpp"

namespace lightrail {

namespace {

/// Rank by GPU number; -1: no rank there.
std::map<std::int64_t, std::size_t> rank_of_gpu(const Capture& capture) {
  std::map<std::int64_t, std::size_t> rank;
  for (std::size_t r = 0; r < capture.ranks.size(); ++r) rank[capture.ranks[r].gpu] = r;
  return rank;
}

void read_spans(const Capture& capture, const TraceReader& in, ReplayFigures& figures) {
  auto gpu = in.numbers("/tables/ops/gpu"), kind = in.numbers("/tables/ops/kind"),
       iteration = in.numbers("/tables/ops/iteration"), start = in.numbers("/tables/ops/t_start_ps"),
       end = in.numbers("/tables/ops/t_end_ps");
  if (kind.size() != gpu.size() || iteration.size() != gpu.size() || start.size() != gpu.size() ||
      end.size() != gpu.size())
    in.fail("/tables/ops columns differ in length");
  auto ranks = rank_of_gpu(capture);
  std::vector<std::int64_t> first(capture.ranks.size(), std::numeric_limits<std::int64_t>::max()),
      last(first.size(), -1);
  std::vector<Spans> communication(first.size()), other(first.size());
  for (std::size_t i = 0; i < gpu.size(); ++i) {
    auto rank = ranks.find(gpu[i]);
    auto op = static_cast<OpKind>(kind[i]);
    if (rank == ranks.end() || iteration[i] != 0 || op == OpKind::host || op == OpKind::marker) continue;
    const bool is_communication = op == OpKind::collective || op == OpKind::send || op == OpKind::recv;
    (is_communication ? communication : other)[rank->second].emplace_back(start[i], end[i]);
    first[rank->second] = std::min(first[rank->second], start[i]);
    last[rank->second] = std::max(last[rank->second], end[i]);
    figures.step_ps = std::max(figures.step_ps, end[i]);
  }
  for (std::size_t r = 0; r < first.size(); ++r)
    figures.exposed_ps.push_back(
        last[r] < 0 ? -1 : exposed_time(std::move(communication[r]), std::move(other[r])));
  for (std::size_t r = 0; r < first.size(); ++r)
    figures.span_ps.push_back(last[r] < 0 ? -1 : last[r] - first[r]);
}

/// Members of one group end a collective one after the other but run it at the same time: the n-th of a group
/// kind, type and size on every GPU is taken as the n-th collective.
void read_collectives(const Capture& capture, const TraceReader& in, ReplayFigures& figures) {
  auto gpu = in.numbers("/tables/collectives/gpu"), group = in.numbers("/tables/collectives/group"),
       type = in.numbers("/tables/collectives/collective"),
       size = in.numbers("/tables/collectives/size_bytes"),
       start = in.numbers("/tables/collectives/t_start_ps"), end = in.numbers("/tables/collectives/t_end_ps");
  if (group.size() != gpu.size() || type.size() != gpu.size() || size.size() != gpu.size() ||
      start.size() != gpu.size() || end.size() != gpu.size())
    in.fail("/tables/collectives columns differ in length");
  auto ranks = rank_of_gpu(capture);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < gpu.size(); ++i)
    if (ranks.contains(gpu[i])) rows.push_back(i);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return start[a] < start[b]; });
  using Key = std::array<std::int64_t, 3>;
  std::map<std::pair<std::int64_t, Key>, std::int64_t> count;
  std::map<std::pair<Key, std::int64_t>, std::int64_t> fastest;
  std::map<std::int64_t, std::int64_t> of_gpu;
  for (std::size_t i : rows) {
    Key key{group[i], type[i], size[i]};
    auto [entry, is_new] = fastest.try_emplace({key, count[{gpu[i], key}]++}, end[i] - start[i]);
    entry->second = std::min(entry->second, end[i] - start[i]);
    figures.collectives = std::max(figures.collectives, ++of_gpu[gpu[i]]);
  }
  FastestMembers all;
  for (auto& [key, duration] : fastest)
    all.add(static_cast<CollectiveType>(key.first[1]), key.first[2], duration);
  Capture replayed;
  all.into(replayed);
  figures.fastest_sum_ps = replayed.fastest_sum_ps;
  figures.fastest_median_ps = replayed.fastest_median_ps;
  figures.kinds = std::move(replayed.kinds);
}

std::string line(const std::string& what, std::int64_t captured, std::int64_t simulated) {
  double percent =
      captured > 0 ? 100 * (static_cast<double>(simulated) / static_cast<double>(captured) - 1) : 0;
  return fmt::format("{:<28} {:>14} {:>14} {:>+9.2f} %\n", what, format_time(picoseconds(captured)),
                     format_time(picoseconds(simulated)), percent);
}

/// Captured and simulated, over the ranks of which both are known.
std::optional<std::pair<std::int64_t, std::int64_t>> mean_exposed(const Capture& capture,
                                                                  const ReplayFigures& replay) {
  std::int64_t captured = 0, simulated = 0, count = 0;
  for (std::size_t r = 0; r < std::min(capture.ranks.size(), replay.exposed_ps.size()); ++r) {
    if (capture.ranks[r].exposed_ps < 0 || replay.exposed_ps[r] < 0) continue;
    captured += capture.ranks[r].exposed_ps;
    simulated += replay.exposed_ps[r];
    ++count;
  }
  if (count == 0) return std::nullopt;
  return std::pair{captured / count, simulated / count};
}

/// The kinds and sizes that took most, at most twelve.
std::string kinds_text(const Capture& capture, const ReplayFigures& replay) {
  constexpr std::size_t most_lines = 12;
  std::vector<Capture::Kind> kinds = capture.kinds;
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const auto& a, const auto& b) { return a.fastest_sum_ps > b.fastest_sum_ps; });
  if (kinds.size() < 2) return "";
  std::string text;
  for (std::size_t i = 0; i < std::min(kinds.size(), most_lines); ++i) {
    const Capture::Kind& kind = kinds[i];
    const auto same = std::find_if(replay.kinds.begin(), replay.kinds.end(), [&](const Capture::Kind& other) {
      return other.type == kind.type && other.bytes == kind.bytes;
    });
    const std::string what =
        fmt::format("  {} {} B x {}", collective_name(kind.type), kind.bytes, kind.count);
    text += same == replay.kinds.end() ? fmt::format("{:<28} not simulated\n", what)
                                       : line(what, kind.fastest_sum_ps, same->fastest_sum_ps);
  }
  if (kinds.size() > most_lines)
    text += fmt::format("  ... and {} kinds that took less\n", kinds.size() - most_lines);
  return text;
}

}  // namespace

ReplayFigures read_replay(const Capture& capture, const std::string& result_file) {
  TraceReader in(result_file);
  ReplayFigures figures;
  read_spans(capture, in, figures);
  read_collectives(capture, in, figures);
  return figures;
}

std::string comparison_text(const Capture& capture, const ReplayFigures& replay) {
  std::string text = fmt::format("{:<28} {:>14} {:>14} {:>11}\n", "replay of a capture", "captured",
                                 "simulated", "difference");
  if (capture.step_ps > 0) text += line("step", capture.step_ps, replay.step_ps);
  for (std::size_t r = 0; r < capture.ranks.size(); ++r)
    if (replay.span_ps[r] >= 0 && capture.ranks[r].span_ps > 0)
      text += line(capture.ranks.size() > 1 ? fmt::format("GPU span, rank {}", r)
                                            : fmt::format("GPU span, GPU {}", capture.ranks[r].gpu),
                   capture.ranks[r].span_ps, replay.span_ps[r]);
  if (const auto exposed = mean_exposed(capture, replay))
    text += line("exposed communication, mean", exposed->first, exposed->second);
  if (capture.fastest_median_ps > 0) {
    text += line("collective, median", capture.fastest_median_ps, replay.fastest_median_ps);
    text += line("collectives, sum", capture.fastest_sum_ps, replay.fastest_sum_ps);
    text += kinds_text(capture, replay);
    text +=
        capture.ranks.size() > 1
            ? "  (of each collective the fastest member; the others' time has their waiting in it)\n"
            : "  (one rank was captured: what its collectives took has its waiting for the others in it)\n";
  }
  return text;
}

}  // namespace lightrail
