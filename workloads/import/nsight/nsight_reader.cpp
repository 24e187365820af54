#include "workloads/import/nsight/nsight_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/import/nsight/nccl_calls.hpp"
#include "workloads/import/nsight/nvtx_payload.hpp"
#include "workloads/import/nsight/sqlite_file.hpp"
#include "workloads/job/kernel_class.hpp"

namespace lightrail {

namespace {

/// A thread's globalTid has its number in the last 24 bits; the rest is its process's globalPid.
constexpr std::int64_t process_mask = ~std::int64_t{0xffffff};
constexpr std::int64_t wait_for_event = 2;  ///< CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT

/// "cudaFree_v3020" -> "cudaFree".
std::string without_version(const std::string& call) {
  const std::size_t at = call.rfind("_v");
  const bool is_version = at != std::string::npos && at + 2 < call.size() &&
                          call.find_first_not_of("0123456789", at + 2) == std::string::npos;
  return is_version ? call.substr(0, at) : call;
}

/// As Kineto names copies; what is pageable blocks the CPU.
std::string copy_name(std::optional<std::int64_t> kind, std::optional<std::int64_t> from,
                      std::optional<std::int64_t> to) {
  const char* way = "";
  switch (kind.value_or(0)) {
    case 1:
      way = " HtoD";
      break;
    case 2:
      way = " DtoH";
      break;
    case 8:
      way = " DtoD";
      break;
    case 10:
      way = " PtoP";
      break;
    default:
      break;
  }
  const bool is_pageable = (kind == 1 && from == 0) || (kind == 2 && to == 0);
  return fmt::format("Memcpy{}{}", way, is_pageable ? " (Pageable)" : "");
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(path), payloads_(file_) {}

  std::vector<NsightProcess> read() {
    read_operations();
    if (processes_.empty())
      throw InputErrors(
          InputError{path_, 0,
                     "no kernel, copy or memset (expected the SQLite export of Nsight Systems, of a "
                     "report with --trace=cuda,nvtx)"});
    read_calls();
    read_synchronisations();
    read_ranges();
    std::vector<NsightProcess> all;
    for (auto& [id, process] : processes_) {
      NsightProcess read;
      read.process = id;
      process.nccl.hand_over(
          path_, [&](const KinetoEvent& e) { process.collector->take(e); }, read.notes);
      read.memberships = process.nccl.memberships();
      if (process.graphs > 0)
        read.notes.push_back(
            fmt::format("{}: {} launches of CUDA graphs are one operation each (--cuda-graph-trace=node has "
                        "their kernels)",
                        path_, process.graphs));
      read.events = process.collector->finish();
      all.push_back(std::move(read));
    }
    return all;
  }

 private:
  struct Process {
    std::unique_ptr<KinetoCollector> collector;
    NcclCalls nccl;
    std::unordered_map<std::int64_t, NcclCalls::Kernel> nccl_kernels;  ///< by correlation, until their launch
    std::unordered_map<std::int64_t, std::int64_t> call_ns;  ///< of records and waits, by correlation
    std::int64_t graphs = 0;
  };

  Process& process(std::int64_t id) {
    Process& found = processes_[id];
    if (!found.collector) found.collector = std::make_unique<KinetoCollector>(path_);
    return found;
  }
  /// Only what belongs to a process that used a GPU.
  Process* find(std::int64_t thread) {
    const auto found = processes_.find(thread & process_mask);
    return found == processes_.end() ? nullptr : &found->second;
  }
  const std::string& name(std::optional<std::int64_t> id) {
    if (!id) return none_;
    const auto [it, is_new] = names_.try_emplace(*id);
    if (is_new) it->second = file_.text_of("StringIds", "id", "value", *id);
    return it->second;
  }

  /// Columns 0 to 5: start, end, globalPid, deviceId, streamId, correlationId.
  KinetoEvent operation(const SqliteRow& row, const char* category) {
    KinetoEvent event;
    event.index = index_++;
    event.phase = "X";
    event.category = category;
    event.start_ns = row.number(0);
    if (event.start_ns && row.number(1)) event.duration_ns = *row.number(1) - *event.start_ns;
    event.device = row.number(3);
    event.stream = row.number(4);
    event.correlation = row.number(5);
    return event;
  }

  void read_operations() {
    const std::vector<std::string> common{"start",    "end",      "globalPid",
                                          "deviceId", "streamId", "correlationId"};
    const auto columns = [&](std::initializer_list<const char*> more) {
      std::vector<std::string> all = common;
      all.insert(all.end(), more.begin(), more.end());
      return all;
    };
    file_.each("CUPTI_ACTIVITY_KIND_KERNEL", columns({"demangledName", "shortName"}),
               [&](const SqliteRow& row) {
                 KinetoEvent event = operation(row, "kernel");
                 event.name = name(row.number(row.number(6) ? 6 : 7));
                 Process& of = process(row.number(2).value_or(0));
                 if (classify_kernel(event.name) != KernelClass::collective || !event.correlation)
                   of.collector->take(event);
                 else
                   of.nccl_kernels[*event.correlation] = {std::move(event), "", 0};
               });
    file_.each("CUPTI_ACTIVITY_KIND_MEMCPY", columns({"copyKind", "srcKind", "dstKind"}),
               [&](const SqliteRow& row) {
                 KinetoEvent event = operation(row, "gpu_memcpy");
                 event.name = copy_name(row.number(6), row.number(7), row.number(8));
                 process(row.number(2).value_or(0)).collector->take(event);
               });
    file_.each("CUPTI_ACTIVITY_KIND_MEMSET", common, [&](const SqliteRow& row) {
      KinetoEvent event = operation(row, "gpu_memset");
      event.name = "Memset";
      process(row.number(2).value_or(0)).collector->take(event);
    });
    file_.each("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", common, [&](const SqliteRow& row) {
      KinetoEvent event = operation(row, "kernel");
      event.name = "CUDA graph";
      Process& of = process(row.number(2).value_or(0));
      of.collector->take(event);
      ++of.graphs;
    });
  }

  void read_calls() {
    file_.each("CUPTI_ACTIVITY_KIND_RUNTIME", {"start", "end", "globalTid", "correlationId", "nameId"},
               [&](const SqliteRow& row) {
                 const std::int64_t thread = row.number(2).value_or(0);
                 Process* of = find(thread);
                 if (!of) return;
                 KinetoEvent event;
                 event.index = index_++;
                 event.phase = "X";
                 event.category = "cuda_runtime";
                 event.name = without_version(name(row.number(4)));
                 event.thread = std::to_string(thread);
                 event.start_ns = row.number(0);
                 if (event.start_ns && row.number(1)) event.duration_ns = *row.number(1) - *event.start_ns;
                 event.correlation = row.number(3);
                 of->collector->take(event);
                 if (!event.correlation || !event.start_ns) return;
                 of->call_ns[*event.correlation] = *event.start_ns;
                 const auto kernel = of->nccl_kernels.find(*event.correlation);
                 if (kernel == of->nccl_kernels.end()) return;
                 kernel->second.thread = event.thread;
                 kernel->second.launch_ns = *event.start_ns;
               });
    for (auto& [id, process] : processes_) {
      std::map<std::int64_t, NcclCalls::Kernel> in_order(process.nccl_kernels.begin(),
                                                         process.nccl_kernels.end());
      for (auto& [correlation, kernel] : in_order) process.nccl.add(std::move(kernel));
      process.nccl_kernels.clear();
    }
  }

  /// Which streams a wait joins: the event's last record before the call says it.
  void read_synchronisations() {
    struct Record {
      std::int64_t at_ns = 0, stream = 0, correlation = 0;
    };
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Record>> records;  // by process and event
    file_.each("CUPTI_ACTIVITY_KIND_CUDA_EVENT", {"globalPid", "eventId", "streamId", "correlationId"},
               [&](const SqliteRow& row) {
                 const auto event = row.number(1), stream = row.number(2), correlation = row.number(3);
                 const auto of = processes_.find(row.number(0).value_or(0));
                 if (of == processes_.end() || !event || !stream || !correlation) return;
                 if (const auto at = of->second.call_ns.find(*correlation); at != of->second.call_ns.end())
                   records[{of->first, *event}].push_back({at->second, *stream, *correlation});
               });
    for (auto& [key, all] : records)
      std::stable_sort(all.begin(), all.end(),
                       [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; });
    file_.each("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
               {"globalPid", "streamId", "correlationId", "syncType", "eventId"}, [&](const SqliteRow& row) {
                 const auto of = processes_.find(row.number(0).value_or(0));
                 const auto stream = row.number(1), correlation = row.number(2);
                 if (of == processes_.end() || !stream || *stream >= 0xffffffff || !correlation) return;
                 KinetoEvent event;
                 event.phase = "X";
                 event.category = "cuda_sync";
                 event.stream = stream;
                 event.correlation = correlation;
                 const auto at = of->second.call_ns.find(*correlation);
                 if (row.number(3) == wait_for_event && at != of->second.call_ns.end()) {
                   const auto& all = records[{of->first, row.number(4).value_or(-1)}];
                   const auto later = std::upper_bound(
                       all.begin(), all.end(), at->second,
                       [](std::int64_t t, const Record& record) { return t < record.at_ns; });
                   if (later != all.begin()) {
                     event.wait_on_stream = std::prev(later)->stream;
                     event.record_correlation = std::prev(later)->correlation;
                   }
                 }
                 of->second.collector->take(event);
               });
  }

  /// NCCL's calls, and steps that are called as the profiler of PyTorch calls them.
  void read_ranges() {
    file_.each("NVTX_EVENTS",
               {"start", "end", "globalTid", "text", "textId", "binaryData", "jsonText", "jsonTextId"},
               [&](const SqliteRow& row) {
                 const auto start = row.number(0), end = row.number(1);
                 const std::int64_t thread = row.number(2).value_or(0);
                 Process* of = find(thread);
                 if (!of || !start || !end || *end < *start) return;
                 std::string text = row.text(3);
                 if (text.empty()) text = name(row.number(4));
                 if (text.rfind("ProfilerStep#", 0) == 0) return take_step(*of, text, *start, *end);
                 if (text.rfind("nccl", 0) != 0) return;
                 NcclCalls::Call call{*start, *end, text, payloads_.decode(row.bytes(5))};
                 std::string json = row.text(6);
                 if (json.empty() && row.number(7)) json = name(row.number(7));
                 if (!json.empty()) call.payload = nccl_payload_of_json(json);
                 of->nccl.add(std::to_string(thread), std::move(call));
               });
  }

  static void take_step(Process& of, const std::string& text, std::int64_t start, std::int64_t end) {
    KinetoEvent event;
    event.phase = "X";
    event.category = "user_annotation";
    event.name = text;
    event.start_ns = start;
    event.duration_ns = end - start;
    of.collector->take(event);
  }

  const std::string& path_;
  SqliteFile file_;
  NvtxPayloads payloads_;
  std::map<std::int64_t, Process> processes_;  ///< by globalPid
  std::unordered_map<std::int64_t, std::string> names_;
  std::string none_;
  std::int64_t index_ = 0;
};

}  // namespace

std::vector<NsightProcess> read_nsight(const std::string& path) {
  return Reader(path).read();
}

}  // namespace lightrail
