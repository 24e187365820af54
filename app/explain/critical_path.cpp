#include "app/explain/critical_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "app/explain/group_places.hpp"
#include "app/explain/message_times.hpp"
#include "app/explain/recorded_job.hpp"
#include "app/explain/run_graph.hpp"
#include "workloads/program/labels.hpp"

namespace lightrail {
namespace {

/// Parts of which a what-if is worth its replay: those longest on the path.
constexpr std::size_t most_what_ifs = 12;

std::string at_or_empty(const std::vector<std::string>& all, std::int64_t index) {
  return index >= 0 && static_cast<std::size_t>(index) < all.size() ? all[static_cast<std::size_t>(index)]
                                                                    : "";
}

/// Labels of operations, and which operations are alike.
class Parts {
 public:
  Parts(const ResultReader& result, const RecordedJob& job, const GroupPlaces& places)
      : names_(result.texts("/names")), dimensions_(result.texts("/dimensions")), places_(places) {
    std::map<std::string, std::uint32_t> known;
    std::vector<std::vector<std::uint32_t>> of_step(job.programs.size());
    for (std::size_t p = 0; p < job.programs.size(); ++p)
      for (const RecordedJob::Step& step : job.programs[p]) {
        CriticalPath::Part part = part_of(step);
        const auto [found, is_new] = known.try_emplace(part.label, all.size());
        if (is_new) all.push_back(std::move(part));
        of_step[p].push_back(found->second);
      }
    launch = static_cast<std::uint32_t>(all.size());
    all.push_back({"launch", "host"});
    for (const RecordedJob::Run& run : job.runs) of.push_back(of_step[job.instance_of(run).program][run.op]);
  }
  std::vector<CriticalPath::Part> all;
  std::vector<std::uint32_t> of;  ///< by run
  std::uint32_t launch = 0;

 private:
  [[nodiscard]] CriticalPath::Part part_of(const RecordedJob::Step& step) const {
    const std::string name = at_or_empty(names_, step.name), group = at_or_empty(places_.names(), step.group);
    std::string whose = at_or_empty(dimensions_, step.dimension);
    if (whose.empty()) whose = group;
    if (whose != group && !group.empty()) whose += fmt::format(" ({})", group);
    switch (step.kind) {
      case OpKind::compute:
        return {"kernel " + name, "compute"};
      case OpKind::host:
        return {"host " + name, "host"};
      case OpKind::collective:
        return {collective_labels()[static_cast<std::size_t>(step.collective)] + " " + whose,
                "communication"};
      case OpKind::send:
      case OpKind::recv:
        return {"message " + whose, "communication"};
      case OpKind::storage_read:
        return {"storage read", "storage"};
      case OpKind::storage_write:
        return {"storage write", "storage"};
      case OpKind::host_copy:
        return {"copy " + name, "copy"};
      case OpKind::marker:
        return {"marker " + name, "idle"};
    }
    return {name, "idle"};
  }

  std::vector<std::string> names_, dimensions_;
  const GroupPlaces& places_;
};

/// Back from the last end to the first start.
void walk(const RecordedJob& job, const RunGraph& graph, Parts& parts, CriticalPath& path) {
  const std::int64_t first = graph.step_start_ps();
  std::uint32_t run = graph.last_run();
  std::int64_t at = job.runs[run].end_ps;
  path.step_ps = at - first;
  const auto add = [&](std::uint32_t of, std::size_t part, std::int64_t from) {
    from = std::max(from, first);
    if (from >= at) return false;
    const RecordedJob::Instance& instance = job.instance_of(job.runs[of]);
    path.segments.push_back({instance.gpu, job.runs[of].op, instance.iteration, part, from, at});
    parts.all[part].time_ps += at - from;
    ++parts.all[part].count;
    at = from;
    return true;
  };
  while (at > first) {
    const RunGraph::Cause& cause = graph.cause(run);
    const std::uint32_t part = parts.of[run];
    const std::int64_t before = at, own = graph.own_ps(run);
    add(run, part, job.runs[cause.anchor].start_ps);
    if (cause.is_split) parts.all[part].is_split = true;
    // Of one that the start of the step cuts, as large a part as of the whole.
    if (own > 0 && before > at)
      parts.all[part].bytes_ps += std::llround(static_cast<double>(cause.bytes_ps) *
                                               static_cast<double>(before - at) / static_cast<double>(own));
    const std::uint32_t anchor = cause.anchor, next = graph.cause(anchor).before;
    at = std::min(at, std::max(first, job.runs[anchor].start_ps));
    if (next == RunGraph::none) {
      add(anchor, parts.launch, first);
      break;
    }
    add(anchor, parts.launch, job.runs[next].end_ps);
    run = next;
  }
  std::reverse(path.segments.begin(), path.segments.end());
}

/// Whatever is longest on the path, each a tenth shorter.
void try_changes(const RunGraph& graph, const Parts& parts, CriticalPath& path) {
  std::vector<std::size_t> order;
  for (std::size_t p = 0; p < parts.all.size(); ++p)
    if (parts.all[p].time_ps > 0) order.push_back(p);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return parts.all[a].time_ps > parts.all[b].time_ps; });
  order.resize(std::min(order.size(), most_what_ifs));
  const std::vector<double> same(parts.all.size(), 1);
  const auto add = [&](const std::string& change, const RunGraph::Scale& scale) {
    const std::int64_t step = graph.step_ps(scale, parts.of);
    if (step < path.step_ps) path.what_ifs.push_back({change, step});
  };
  const auto add_bytes_and_latency = [&](const std::string& what, const std::vector<std::size_t>& of) {
    RunGraph::Scale bytes{same, same, 1}, latency{same, same, 1};
    for (const std::size_t p : of) bytes.bytes[p] = latency.rest[p] = what_if_factor;
    add("bytes of " + what, bytes);
    add("latency of " + what, latency);
  };
  std::vector<std::size_t> split;
  for (const std::size_t p : order) {
    const CriticalPath::Part& part = parts.all[p];
    RunGraph::Scale scale{same, same, 1};
    if (part.use == "communication" && part.is_split) {
      add_bytes_and_latency(part.label, {p});
      split.push_back(p);
    } else if (p == parts.launch) {
      scale.launch = what_if_factor;
      add(part.label, scale);
    } else {
      scale.bytes[p] = scale.rest[p] = what_if_factor;
      add(part.label, scale);
    }
  }
  if (split.size() > 1) add_bytes_and_latency("all of these", split);
  std::stable_sort(path.what_ifs.begin(), path.what_ifs.end(),
                   [](const auto& a, const auto& b) { return a.step_ps < b.step_ps; });
}

}  // namespace

CriticalPath read_critical_path(const ResultReader& result, std::size_t most_rows) {
  CriticalPath path;
  path.missing = lacks_operations(result);
  if (!path.missing.empty()) return path;
  if (const std::size_t rows = result.rows("/tables/ops/gpu"); most_rows > 0 && rows > most_rows) {
    path.missing = fmt::format("{} rows of ops are too many for the end of a run: lightrail explain", rows);
    return path;
  }
  const RecordedJob job = read_job(result);
  if (job.runs.empty()) {
    path.missing = "no GPU has finished an iteration";
    return path;
  }
  const GroupPlaces places(result);
  const MessageTimes messages(result);
  const RunGraph graph(job, places, messages);
  Parts parts(result, job, places);
  path.iteration = job.iterations - 1;
  walk(job, graph, parts, path);
  try_changes(graph, parts, path);
  const bool lacks_messages =
      std::any_of(parts.all.begin(), parts.all.end(), [](const CriticalPath::Part& part) {
        return part.use == "communication" && part.time_ps > 0 && !part.is_split;
      });
  if (lacks_messages && messages.is_empty())
    path.unsplit = R"(no messages were recorded: <table name="messages" gpus="all"/>)";
  else if (lacks_messages)
    path.unsplit =
        "NVSwitches add and send on what is no message, and messages of the GPUs were not recorded";

  std::vector<std::size_t> order, place(parts.all.size());
  for (std::size_t p = 0; p < parts.all.size(); ++p)
    if (parts.all[p].time_ps > 0) order.push_back(p);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return parts.all[a].time_ps > parts.all[b].time_ps; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    path.parts.push_back(parts.all[order[i]]);
  }
  for (CriticalPath::Segment& segment : path.segments) segment.part = place[segment.part];
  return path;
}

}  // namespace lightrail
