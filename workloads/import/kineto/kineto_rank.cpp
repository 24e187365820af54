#include "workloads/import/kineto/kineto_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "workloads/import/exposed_time.hpp"
#include "workloads/import/gzip_file.hpp"
#include "workloads/import/kineto/execution_trace.hpp"
#include "workloads/import/kineto/flight_recorder.hpp"
#include "workloads/import/kineto/kineto_collector.hpp"
#include "workloads/import/kineto/kineto_communications.hpp"
#include "workloads/import/kineto/kineto_reader.hpp"
#include "workloads/import/kineto/profiler_steps.hpp"
#include "workloads/import/nsight/nsight_reader.hpp"
#include "workloads/import/nsight/sqlite_file.hpp"
#include "workloads/import/trace_files.hpp"

namespace lightrail {

namespace {

using nlohmann::json;
using Kernel = KinetoEvents::Kernel;

/// What "distributedInfo" says.
struct DistributedInfo {
  std::int64_t rank = -1, world = -1;
  std::vector<ProcessGroup> groups;
};

std::vector<ProcessGroup> groups_of(const json& info) {
  std::vector<ProcessGroup> groups;
  const auto list = info.find("pg_config");
  if (list == info.end() || !list->is_array()) return groups;
  const auto text = [](const json& of, const char* key) {
    const auto it = of.find(key);
    return it == of.end() ? std::string() : it->is_string() ? it->get<std::string>() : it->dump();
  };
  for (const json& entry : *list) {
    if (!entry.is_object() || !entry.contains("ranks") || !entry["ranks"].is_array()) continue;
    ProcessGroup group;
    group.name = text(entry, "pg_name");
    group.description = text(entry, "pg_desc");
    for (const json& rank : entry["ranks"])
      if (rank.is_number_integer() && rank.get<std::int64_t>() >= 0 && rank.get<std::int64_t>() < (1 << 20))
        group.ranks.push_back(rank.get<std::uint32_t>());
    group.size = static_cast<std::int64_t>(group.ranks.size());
    if (group.ranks.size() == entry["ranks"].size() && !group.ranks.empty())
      groups.push_back(std::move(group));
  }
  return groups;
}

DistributedInfo distributed_info(const std::string& text, const std::string& path) {
  DistributedInfo found;
  const json info = json::parse(text, nullptr, false);
  if (!info.is_object()) return found;
  const auto integer = [&](const char* key) -> std::int64_t {
    const auto it = info.find(key);
    return it != info.end() && it->is_number_integer() ? it->get<std::int64_t>() : -1;
  };
  found.rank = integer("rank");
  found.world = integer("world_size");
  if (found.rank >= (1 << 20)) found.rank = -1;
  if (found.world > (1 << 20)) found.world = -1;
  if (found.world > 0 && found.rank >= found.world)
    throw InputErrors(
        InputError{path, 0, fmt::format("distributedInfo: rank {} of {} ranks", found.rank, found.world)});
  found.groups = groups_of(info);
  return found;
}

/// What GPUs "deviceProperties" names: "NVIDIA A100-SXM4-80GB"; several when they differ.
std::string gpus_named_in(const std::string& text) {
  const json properties = json::parse(text, nullptr, false);
  std::set<std::string> names;
  if (properties.is_array())
    for (const json& of : properties)
      if (of.is_object() && of.contains("name") && of["name"].is_string())
        names.insert(of["name"].get<std::string>());
  return fmt::format("{}", fmt::join(names, ", "));
}

/// GPUs that the process works on. One that only has a few copies or fills, as a context on another GPU
/// leaves them, is none of the rank's: its operations go, and `notes` says so.
std::vector<std::int64_t> devices_of(const KinetoEvents& events, const std::string& path,
                                     std::vector<std::string>& notes) {
  struct Work {
    std::int64_t operations = 0, busy_ns = 0;
    bool communicates = false;
  };
  std::map<std::int64_t, Work> work;
  std::int64_t most_ns = 0;
  for (const Kernel& kernel : events.kernels) {
    Work& of = work[kernel.device];
    ++of.operations;
    of.busy_ns += kernel.operation.duration_ns;
    of.communicates = of.communicates || kernel.operation.communication >= 0;
    most_ns = std::max(most_ns, of.busy_ns);
  }
  std::vector<std::int64_t> devices;
  for (const auto& [device, of] : work) {
    if (work.size() > 1 && (device < 0 || (!of.communicates && of.busy_ns < most_ns / 100)))
      notes.push_back(fmt::format("{}: {} operations on GPU {} are left out: the trace is another GPU's",
                                  path, of.operations, device));
    else
      devices.push_back(device);
  }
  return devices;
}

/// A launch for each kernel where its CPU operator started: of traces without calls of the runtime.
void infer_launches(const KinetoEvents& events, RankTrace& trace,
                    const std::unordered_map<std::int64_t, std::int64_t>& external_of) {
  std::int64_t found = 0;
  std::unordered_set<std::int64_t> seen;
  for (const GpuOperation& op : trace.operations) {
    const auto external = external_of.find(op.event);
    const auto it = external == external_of.end() ? events.cpu_operators.end()
                                                  : events.cpu_operators.find(external->second);
    if (it == events.cpu_operators.end() || it->second.start_ns > op.start_ns ||
        !seen.insert(op.correlation).second)
      continue;
    RuntimeCall call;
    call.thread = it->second.thread;
    call.start_ns = it->second.start_ns;
    call.correlation = op.correlation;
    trace.calls.push_back(call);
    ++found;
  }
  std::stable_sort(trace.calls.begin(), trace.calls.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  if (!trace.calls.empty()) trace.first_call_ns = std::min(trace.first_call_ns, trace.calls[0].start_ns);
  trace.notes.push_back(
      found > 0
          ? fmt::format("{}: no launches among the events: {} of {} operations are launched where their "
                        "CPU operators started",
                        trace.path, found, trace.operations.size())
          : fmt::format("{}: no launches and no CPU operators among the events: the pace of the CPU is "
                        "lost, kernels follow one another",
                        trace.path));
}

RankTrace::Figures figures_of(const RankTrace& trace) {
  RankTrace::Figures f;
  f.first_start_ns = trace.operations.front().start_ns;
  f.last_start_ns = trace.operations.back().start_ns;
  Spans communication, kernels;
  for (const auto& op : trace.operations) {
    f.end_ns = std::max(f.end_ns, op.end_ns());
    (op.communication >= 0 ? f.communication_ns : f.kernels_ns) += op.duration_ns;
    (op.communication >= 0 ? communication : kernels).emplace_back(op.start_ns, op.end_ns());
  }
  f.exposed_ns = exposed_time(std::move(communication), std::move(kernels));
  return f;
}

void name_streams(const Texts& streams, RankTrace& trace) {
  trace.streams = streams.all;
  std::vector<bool> communicates(trace.streams.size());
  for (const auto& op : trace.operations)
    if (op.communication >= 0) communicates[op.stream] = true;
  for (std::size_t i = 0; i < trace.streams.size(); ++i)
    trace.streams[i] = (communicates[i] ? "nccl " : "stream ") + trace.streams[i];
}

/// What the GPU `device` did; every GPU of a process repeats the calls of its CPU threads by itself.
RankTrace trace_of(const KinetoEvents& events, std::int64_t device, bool is_only, const std::string& path,
                   const KinetoRankOptions& options) {
  RankTrace trace;
  trace.path = path;
  trace.device = is_only ? -1 : device;
  trace.first_call_ns = events.first_call_ns;
  std::unordered_set<std::int64_t> others;
  std::unordered_map<std::int64_t, std::int64_t> external_of;
  for (const Kernel& kernel : events.kernels) {
    if (kernel.device != device) {
      others.insert(kernel.operation.correlation);
      continue;
    }
    trace.operations.push_back(kernel.operation);
    if (kernel.external_id >= 0) external_of[kernel.operation.event] = kernel.external_id;
  }
  for (const GpuOperation& op : trace.operations) others.erase(op.correlation);
  bool has_launch = false;
  std::unordered_set<std::int64_t> mine;
  for (const GpuOperation& op : trace.operations) mine.insert(op.correlation);
  for (const RuntimeCall& call : events.calls) {
    if (others.contains(call.correlation)) continue;
    trace.calls.push_back(call);
    has_launch = has_launch || (call.kind == RuntimeCall::Kind::launch && mine.contains(call.correlation));
  }
  if (!has_launch) infer_launches(events, trace, external_of);
  if (!events.has_call && trace.calls.empty()) trace.first_call_ns = trace.operations.front().start_ns;
  choose_steps(events.steps, options.steps, trace);
  trace.threads = events.threads.all;
  trace.names = events.names.all;
  link_communications(events, options, trace);
  name_streams(events.streams, trace);
  trace.figures = figures_of(trace);
  return trace;
}

/// Two processes in one file would share correlations.
void refuse_merged(const KinetoEvents& events, const std::string& path) {
  std::unordered_set<std::int64_t> launches, operations;
  for (const Kernel& kernel : events.kernels) operations.insert(kernel.operation.correlation);
  for (const RuntimeCall& call : events.calls)
    if (call.kind == RuntimeCall::Kind::launch && operations.contains(call.correlation) &&
        !launches.insert(call.correlation).second)
      throw InputErrors(InputError{
          path, 0,
          fmt::format("two launches have the correlation {}: the file holds the traces of several processes, "
                      "give one file a process",
                      call.correlation)});
}

}  // namespace

void RankTrace::reduce() {
  is_reduced = true;
  // Not `x = {}`, which keeps the memory: what is kept must not grow with what a file holds beside it.
  std::erase_if(operations, [](const GpuOperation& op) { return op.communication < 0; });
  operations.shrink_to_fit();
  communications.shrink_to_fit();
  exchanges.shrink_to_fit();
  std::vector<RuntimeCall>().swap(calls);
  std::vector<std::string>().swap(names);
}

namespace {

/// What stands beside the events of a process.
struct FileNotes {
  DistributedInfo info;
  std::vector<ProcessGroup> groups;  ///< with whole lists
  std::vector<std::string> notes;
  std::string gpus;  ///< that the file names
};

std::optional<std::uint32_t> told_rank(const std::string& path, const KinetoRankOptions& options,
                                       const DistributedInfo& info, const KinetoEvents& events) {
  if (!options.rank_pattern.empty()) {
    const auto rank = rank_by_pattern(path, options.rank_pattern);
    if (!rank)
      throw InputErrors(
          InputError{path, 0, fmt::format("its name does not fit rank-pattern '{}'", options.rank_pattern)});
    return rank;
  }
  if (info.rank >= 0) return static_cast<std::uint32_t>(info.rank);
  if (events.told_rank >= 0) return static_cast<std::uint32_t>(events.told_rank);
  return rank_by_name(path);
}

/// The traces of a process's GPUs.
std::vector<RankTrace> traces_of(KinetoEvents& events, const std::string& path,
                                 const KinetoRankOptions& options, FileNotes beside) {
  std::vector<std::string>& notes = beside.notes;
  const auto devices = devices_of(events, path, notes);
  if (devices.size() > 1) {
    refuse_merged(events, path);
    notes.push_back(fmt::format("{}: {} GPUs of one process: each repeats the calls of the CPU by itself",
                                path, devices.size()));
  }
  const std::optional<std::uint32_t> rank = told_rank(path, options, beside.info, events);
  if (!options.execution_traces.empty()) {
    const auto of_rank = options.execution_traces.find(rank.value_or(0));
    if (of_rank == options.execution_traces.end())
      throw InputErrors(
          InputError{path, 0, fmt::format("no execution trace of rank {} is given", rank.value_or(0))});
    beside.groups = join_execution_trace(of_rank->second, path, events, notes);
  }
  beside.groups.insert(beside.groups.begin(), beside.info.groups.begin(), beside.info.groups.end());
  std::vector<RankTrace> traces;
  for (std::int64_t device : devices) {
    RankTrace trace = trace_of(events, device, devices.size() == 1, path, options);
    trace.rank = rank.value_or(0);
    trace.has_rank = rank.has_value();
    trace.world_size = static_cast<std::uint32_t>(std::max<std::int64_t>(0, beside.info.world));
    trace.known_groups = beside.groups;
    trace.gpus = beside.gpus;
    trace.notes.insert(trace.notes.begin(), notes.begin(), notes.end());
    traces.push_back(std::move(trace));
  }
  return traces;
}

/// Every process's, by their ranks in the largest communicator where it was made while they were traced.
std::vector<RankTrace> read_nsight_file(const std::string& path, const KinetoRankOptions& options) {
  if (!options.execution_traces.empty())
    throw InputErrors(InputError{
        path, 0, "execution-traces belong to Kineto's traces: Nsight Systems records no record functions"});
  std::vector<RankTrace> all;
  std::vector<NsightProcess> processes = read_nsight(path);
  for (NsightProcess& process : processes) {
    FileNotes beside;
    beside.notes = std::move(process.notes);
    const auto world = std::max_element(process.memberships.begin(), process.memberships.end(),
                                        [](const auto& a, const auto& b) { return a.size < b.size; });
    if (world != process.memberships.end()) {
      beside.info.rank = world->place;
      beside.info.world = world->size;
      beside.notes.push_back(fmt::format("{}: ranks are those of the largest communicator", path));
    }
    for (RankTrace& trace : traces_of(process.events, path, options, std::move(beside))) {
      trace.memberships = process.memberships;
      if (processes.size() > 1) {
        trace.process = process.process;
        trace.has_rank = world != process.memberships.end();
      }
      all.push_back(std::move(trace));
    }
  }
  return all;
}

}  // namespace

std::vector<RankTrace> read_kineto_file(const std::string& path, const KinetoRankOptions& options) {
  if (is_sqlite(path)) return read_nsight_file(path, options);
  if (path.ends_with(".nsys-rep") || path.ends_with(".qdrep"))
    throw InputErrors(InputError{path, 0,
                                 "a report of Nsight Systems: export it first (nsys export --type sqlite "
                                 "--include-blobs true FILE)"});
  KinetoCollector collector(path);
  KinetoHeader header;
  FileNotes beside;
  const auto take = [&](const KinetoEvent& e) { collector.take(e); };
  if (is_execution_trace(path)) {
    beside.groups = read_linked_trace(path, take);
  } else if (is_flight_recorder(path)) {
    read_flight_recorder(path, take, beside.notes);
  } else {
    GzipFile file(path);
    header = read_kineto(file, path, take);
  }
  KinetoEvents events = collector.finish();
  beside.info = distributed_info(header.distributed_info, path);
  beside.gpus = gpus_named_in(header.device_properties);
  return traces_of(events, path, options, std::move(beside));
}

}  // namespace lightrail
