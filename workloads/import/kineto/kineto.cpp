#include "workloads/import/kineto/kineto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/import/ahead.hpp"
#include "workloads/import/fastest_members.hpp"
#include "workloads/import/kineto/execution_trace.hpp"
#include "workloads/import/kineto/group_members.hpp"
#include "workloads/import/kineto/kineto_program.hpp"
#include "workloads/import/kineto/kineto_rank.hpp"
#include "workloads/import/kineto/one_rank.hpp"
#include "workloads/import/kineto/process_groups.hpp"

namespace lightrail {

namespace {

using Bound = std::vector<std::vector<BoundCommunication>>;
/// One process group: of each member (by rank) its collectives, in order.
using GroupCalls = std::map<std::uint32_t, std::vector<const GpuOperation*>>;

KinetoRankOptions rank_options(const KinetoOptions& options) {
  return {options.element_bytes, options.rank_pattern, options.steps, options.collective_bytes,
          execution_traces_by_rank(options.execution_traces, options.rank_pattern)};
}

/// Ranks of the files that do not say theirs: the free ones, in the order of the files. Several GPUs of a
/// file are neighbours: files of n GPUs each count n.
void number_ranks(std::vector<std::vector<RankTrace>>& files) {
  const bool is_plain =
      std::all_of(files.begin(), files.end(), [](const auto& traces) { return traces.size() == 1; });
  if (std::all_of(files.begin(), files.end(), [](const auto& traces) { return traces[0].has_rank; }))
    std::stable_sort(files.begin(), files.end(),
                     [](const auto& a, const auto& b) { return a[0].rank < b[0].rank; });
  if (is_plain && files.size() == 1 && files[0][0].world_size <= 1) files[0][0].has_rank = false;
  // Processes of one file that know their ranks keep them.
  const auto knows = [](const RankTrace& trace) { return trace.has_rank && trace.process >= 0; };
  if (std::all_of(files.begin(), files.end(),
                  [&](const auto& traces) { return std::all_of(traces.begin(), traces.end(), knows); }))
    return;
  std::uint32_t next = 0;
  for (auto& traces : files)
    for (RankTrace& trace : traces) {
      if (!is_plain || !trace.has_rank) trace.rank = next;
      ++next;
    }
}

std::vector<RankTrace> read_all(const KinetoOptions& options) {
  if (options.files.empty()) throw InputErrors(InputError{"", 0, "no trace file given"});
  std::vector<std::vector<RankTrace>> files;
  std::size_t held = 0;
  const KinetoRankOptions of_rank = rank_options(options);
  in_order<std::vector<RankTrace>>(
      options.files.size(), [&](std::size_t i) { return read_kineto_file(options.files[i], of_rank); },
      [&](std::vector<RankTrace> traces) {
        files.push_back(std::move(traces));
        for (RankTrace& trace : files.back()) {
          // A large trace is read twice rather than held.
          held += trace.bytes();
          if (held > options.max_held_bytes) trace.reduce();
        }
      });
  number_ranks(files);
  std::vector<RankTrace> ranks;
  for (auto& traces : files)
    for (RankTrace& trace : traces) ranks.push_back(std::move(trace));
  std::stable_sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (r > 0 && ranks[r].rank == ranks[r - 1].rank)
      throw InputErrors(InputError{ranks[r].path, 0,
                                   fmt::format("rank {} is also in {}", ranks[r].rank, ranks[r - 1].path)});
    if (ranks[r].world_size != ranks[0].world_size)
      throw InputErrors(InputError{ranks[r].path, 0,
                                   fmt::format("world of {} ranks, but {} in {}", ranks[r].world_size,
                                               ranks[0].world_size, ranks[0].path)});
  }
  std::size_t world = std::max<std::size_t>(ranks[0].world_size, ranks.size());
  if (ranks[0].world_size > 1 && ranks.size() > ranks[0].world_size)
    throw InputErrors(InputError{ranks[0].path, 0,
                                 fmt::format("world of {} ranks, but {} GPUs in {} files",
                                             ranks[0].world_size, ranks.size(), options.files.size())});
  for (std::uint32_t r = 0; r < world; ++r)
    if (r >= ranks.size() || ranks[r].rank != r)
      throw InputErrors(InputError{
          ranks[0].path, 0,
          fmt::format("no file for rank {} of {} ({} given{})", r, world,
                      options.files.size() == 1 ? "one file" : fmt::format("{} files", options.files.size()),
                      options.files.size() == 1 ? "; others=same lets it stand for all" : "")});
  return ranks;
}

/// The trace again, whole.
RankTrace read_again(const RankTrace& reduced, const KinetoOptions& options) {
  for (RankTrace& trace : read_kineto_file(reduced.path, rank_options(options)))
    if (trace.device == reduced.device && trace.process == reduced.process) {
      trace.rank = reduced.rank;
      return std::move(trace);
    }
  throw InputErrors(InputError{reduced.path, 0, "the file changed while it was read"});
}

/// The calls of every process group, matched by order. Key: group kind, first member's rank.
std::map<std::pair<std::uint32_t, std::uint32_t>, GroupCalls> calls_by_group(
    const std::vector<RankTrace>& ranks, const Bound& bound, const JobBuilder& job) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, GroupCalls> all;
  const auto& kinds = job.job().groups;
  std::vector<std::vector<std::uint32_t>> first_of(kinds.size(), std::vector<std::uint32_t>(ranks.size()));
  for (std::size_t k = 0; k < kinds.size(); ++k)
    for (const auto& list : kinds[k].listed)
      for (EndpointId member : list) first_of[k][member.value] = list[0].value;
  for (std::uint32_t r = 0; r < ranks.size(); ++r)
    for (const auto& op : ranks[r].operations) {
      if (op.communication < 0) continue;
      auto index = static_cast<std::size_t>(op.communication);
      if (ranks[r].communications[index].kind != OpKind::collective) continue;
      GroupKindId id = bound[r][index].group;
      all[{id.value, first_of[id.value][r]}][r].push_back(&op);
    }
  return all;
}

template <class T>
T median(std::vector<T> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// How far each rank's clock is ahead of rank 0's [ns]: collectives end together, so the median difference of
/// the ends of shared collectives is the difference of the clocks. Ranks that share none, even indirectly,
/// keep their clocks.
template <class Calls>
std::vector<std::int64_t> clock_offsets(std::size_t rank_count, const Calls& all) {
  std::vector<std::int64_t> offset(rank_count, 0);
  std::vector<bool> is_known(rank_count, false);
  for (std::size_t root = 0; root < rank_count; ++root) {
    if (is_known[root]) continue;
    is_known[root] = true;
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (const auto& [key, group] : all) {
        auto known =
            std::find_if(group.begin(), group.end(), [&](const auto& m) { return is_known[m.first]; });
        if (known == group.end()) continue;
        for (const auto& [rank, calls] : group) {
          if (is_known[rank]) continue;
          std::vector<std::int64_t> difference;
          for (std::size_t i = 0; i < calls.size(); ++i)
            if (calls[i]->has_run() && known->second[i]->has_run())
              difference.push_back(calls[i]->end_ns() - known->second[i]->end_ns());
          if (difference.empty()) continue;
          offset[rank] = offset[known->first] + median(std::move(difference));
          is_known[rank] = has_changed = true;
        }
      }
    }
  }
  return offset;
}

template <class Calls>
Capture capture_figures(const std::vector<RankTrace>& ranks, const Bound& bound,
                        const std::vector<std::int64_t>& offset, std::int64_t epoch_ns, const Calls& all) {
  Capture capture;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    Capture::Rank figures;
    figures.gpu = static_cast<std::uint32_t>(r);
    const RankTrace::Figures& all_of = ranks[r].figures;
    figures.other_kernels_ps = all_of.kernels_ns * 1000;
    figures.collectives_ps = all_of.communication_ns * 1000;
    figures.exposed_ps = all_of.exposed_ns * 1000;
    figures.span_ps = (all_of.end_ns - all_of.first_start_ns) * 1000;
    capture.step_ps = std::max(capture.step_ps, (all_of.end_ns - offset[r] - epoch_ns) * 1000);
    capture.collectives =
        std::max(capture.collectives, static_cast<std::int64_t>(ranks[r].communications.size()));
    capture.ranks.push_back(figures);
  }
  FastestMembers fastest;
  for (const auto& [key, group] : all)
    for (std::size_t i = 0; i < group.begin()->second.size(); ++i) {
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (const auto& [rank, calls] : group)
        if (calls[i]->has_run()) least = std::min(least, calls[i]->duration_ns);
      if (least == std::numeric_limits<std::int64_t>::max()) continue;
      const auto& [rank, calls] = *group.begin();
      const auto communication = static_cast<std::size_t>(calls[i]->communication);
      fastest.add(ranks[rank].communications[communication].type, bound[rank][communication].bytes,
                  least * 1000);
    }
  fastest.into(capture);
  std::set<std::string> gpus;
  for (const RankTrace& trace : ranks)
    if (!trace.gpus.empty()) gpus.insert(trace.gpus);
  capture.gpus = fmt::format("{}", fmt::join(gpus, ", "));
  return capture;
}

}  // namespace

Job import_kineto(const KinetoOptions& options) {
  JobOutput output;
  import_kineto(options, output);
  return output.take();
}

namespace {

/// One rank's trace stands for all.
void import_for_all(const KinetoOptions& options, JobOutput& output) {
  if (options.files.size() != 1)
    throw InputErrors(InputError{options.files.empty() ? "" : options.files[1], 0,
                                 "others=\"same\" takes the trace of one rank"});
  std::vector<RankTrace> traces = read_kineto_file(options.files[0], rank_options(options));
  RankTrace& trace = traces[0];
  if (traces.size() > 1)
    throw InputErrors(InputError{
        trace.path, 0,
        fmt::format("others=\"same\" takes the trace of one rank, and this has {} GPUs", traces.size())});
  const std::uint32_t ranks = options.ranks > 0 ? options.ranks : trace.world_size;
  if (ranks == 0)
    throw InputErrors(
        InputError{trace.path, 0, "the trace does not say how many ranks there are: give ranks"});
  if (trace.rank >= ranks)
    throw InputErrors(InputError{trace.path, 0, fmt::format("rank {} of {} ranks", trace.rank, ranks)});
  complete_groups_of_one(trace, ranks);
  import_one_rank(trace, ranks, output);
}

}  // namespace

void import_kineto(const KinetoOptions& options, JobOutput& output) {
  if (options.others_do_the_same) return import_for_all(options, output);
  std::vector<RankTrace> ranks = read_all(options);
  output.begin(static_cast<std::uint32_t>(ranks.size()));
  JobBuilder& job = output.job();
  for (const RankTrace& trace : ranks)
    for (const std::string& note : trace.notes) job.note(note);
  std::vector<std::string> notes;
  complete_groups(ranks, notes);
  for (const std::string& note : notes) job.note(note);
  Bound bound = bind_process_groups(ranks, job);
  auto calls = calls_by_group(ranks, bound, job);
  auto offset = clock_offsets(ranks.size(), calls);
  std::int64_t epoch_ns = std::numeric_limits<std::int64_t>::max();
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto& trace = ranks[r];
    epoch_ns =
        std::min({epoch_ns, trace.first_call_ns - offset[r], trace.figures.first_start_ns - offset[r]});
  }
  job.job().capture = capture_figures(ranks, bound, offset, epoch_ns, calls);
  constexpr std::int64_t longest_ns = std::int64_t{1} << 52;  // 52 days: what picoseconds hold, halved
  // Ranks that are not held are read again, some ahead.
  const auto again = [&](std::size_t i) {
    return ranks[i].is_reduced ? read_again(ranks[i], options) : RankTrace{};
  };
  std::size_t r = 0;
  const auto replay_rank = [&](const RankTrace& whole) {
    if (ranks[r].figures.last_start_ns - offset[r] - epoch_ns > longest_ns)
      throw InputErrors(InputError{ranks[r].path, 0, "the trace spans more than 52 days"});
    ReplayOptions replay;
    replay.epoch_ns = epoch_ns + offset[r];
    replay.bind_communication = [&](std::size_t index, Op& op) {
      const Communication& c = ranks[r].communications[index];
      const BoundCommunication& b = bound[r][index];
      op.kind = c.kind;
      op.collective = c.type;
      op.bytes = b.bytes;
      op.split = b.split;
      op.element_bytes = static_cast<std::uint16_t>(c.element_bytes);
      op.group = b.group;
      op.dimension = b.dimension;
      op.peer = b.peer;
    };
    const RankTrace& trace = ranks[r].is_reduced ? whole : ranks[r];
    job.assign(static_cast<std::uint32_t>(r), output.program(make_replay_program(trace, replay, job)));
    if (!ranks[r].is_reduced) ranks[r].reduce();
    ++r;
  };
  in_order<RankTrace>(ranks.size(), again, replay_rank);
}

}  // namespace lightrail
