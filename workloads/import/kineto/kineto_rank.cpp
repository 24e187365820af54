#include "workloads/import/kineto/kineto_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "engine/base/error.hpp"
#include "workloads/import/gzip_file.hpp"
#include "workloads/import/kineto/kineto_reader.hpp"
#include "workloads/import/kineto/nccl_metadata.hpp"
#include "workloads/job/job.hpp"

namespace lightrail {

namespace {

/// A span on a CPU thread that says what a communication call moves.
struct Annotation {
  std::uint32_t thread = 0;
  std::int64_t start_ns = 0, end_ns = 0;
  int trust = 0;  ///< record_param_comms 2, nccl: 1, c10d:: 0
  NcclMetadata metadata;
};

/// Indices of texts in the order of first sight.
class Texts {
 public:
  std::uint32_t index(const std::string& text) {
    auto [it, is_new] = index_.try_emplace(text, static_cast<std::uint32_t>(all.size()));
    if (is_new) all.push_back(text);
    return it->second;
  }
  std::vector<std::string> all;

 private:
  std::unordered_map<std::string, std::uint32_t> index_;
};

std::optional<RuntimeCall::Kind> kind_of_call(const std::string& name) {
  using Kind = RuntimeCall::Kind;
  auto starts = [&](const char* word) { return name.rfind(word, 0) == 0; };
  if (starts("cudaLaunch") || starts("cuLaunch") || starts("cudaMemcpy") || starts("cudaMemset") ||
      starts("cuMemcpy") || starts("cuMemset") || starts("cudaGraphLaunch") || starts("cuGraphLaunch"))
    return Kind::launch;
  if (starts("cudaEventRecord") || starts("cuEventRecord")) return Kind::event_record;
  if (starts("cudaStreamWaitEvent") || starts("cuStreamWaitEvent")) return Kind::stream_wait;
  if (starts("cudaStreamSynchronize") || starts("cuStreamSynchronize")) return Kind::stream_sync;
  if (starts("cudaDeviceSynchronize") || starts("cuCtxSynchronize") || name == "cudaFree")
    return Kind::device_sync;
  if (starts("cudaEventSynchronize") || starts("cuEventSynchronize")) return Kind::event_sync;
  return std::nullopt;
}

/// Takes the events of one file and files what a replay needs.
class Collector {
 public:
  Collector(RankTrace& trace, const KinetoRankOptions& options) : trace_(trace), options_(options) {}

  void take(const KinetoEvent& e) {
    if (e.phase != "X") return;
    if (e.category == "kernel" || e.category == "gpu_memcpy" || e.category == "gpu_memset")
      take_operation(e);
    else if (e.category == "cuda_runtime" || e.category == "cuda_driver")
      take_call(e);
    else if (e.category == "cuda_sync")
      take_sync(e);
    else if (e.name == "record_param_comms")
      take_annotation(e, 2);
    else if (e.category != "gpu_user_annotation" && e.name.rfind("nccl:", 0) == 0)
      take_annotation(e, 1);
    else if (e.name.rfind("c10d::", 0) == 0)
      take_annotation(e, 0);
  }

  void finish() {
    apply_syncs();
    std::stable_sort(trace_.calls.begin(), trace_.calls.end(),
                     [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    std::stable_sort(trace_.operations.begin(), trace_.operations.end(),
                     [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    std::stable_sort(annotations_.begin(), annotations_.end(),
                     [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
    if (trace_.operations.empty())
      throw InputErrors(
          InputError{trace_.path, 0, "no kernel, copy or memset among the events (was the GPU profiled?)"});
    trace_.threads = threads_.all;
    trace_.names = names_.all;
    link_communications();
    name_streams();
    trace_.figures = figures();
  }

 private:
  [[nodiscard]] RankTrace::Figures figures() const {
    RankTrace::Figures f;
    f.first_start_ns = trace_.operations.front().start_ns;
    f.last_start_ns = trace_.operations.back().start_ns;
    for (const auto& op : trace_.operations) {
      f.end_ns = std::max(f.end_ns, op.end_ns());
      (op.communication >= 0 ? f.communication_ns : f.kernels_ns) += op.duration_ns;
    }
    return f;
  }
  [[noreturn]] void fail(const KinetoEvent& e, const std::string& what) const {
    throw InputErrors(InputError{
        trace_.path, 0,
        fmt::format("event {} '{}' ({}): {}", e.index, short_kernel_name(e.name), e.category, what)});
  }
  void require_times(const KinetoEvent& e) const {
    if (!e.start_ns) fail(e, "lacks the key 'ts'");
    if (!e.duration_ns) fail(e, "lacks the key 'dur'");
    if (*e.duration_ns < 0)
      fail(e, fmt::format("negative duration {} us", static_cast<double>(*e.duration_ns) / 1e3));
    if (*e.start_ns < 0) fail(e, fmt::format("negative time {} us", static_cast<double>(*e.start_ns) / 1e3));
  }
  std::uint32_t stream_index(std::int64_t stream) { return streams_.index(std::to_string(stream)); }

  void take_operation(const KinetoEvent& e) {
    require_times(e);
    if (!e.correlation) fail(e, "lacks the argument 'correlation'");
    GpuOperation op;
    op.start_ns = *e.start_ns;
    op.duration_ns = *e.duration_ns;
    op.correlation = *e.correlation;
    op.stream = e.stream ? stream_index(*e.stream) : streams_.index(e.thread);
    op.kernel_class = e.category == "gpu_memset" ? KernelClass::memory_bound : classify_kernel(e.name);
    if (e.category == "gpu_memcpy" && op.kernel_class == KernelClass::collective)
      op.kernel_class = KernelClass::memory_bound;
    op.name = names_.index(short_kernel_name(e.name));
    op.is_pageable_copy = e.category == "gpu_memcpy" && e.name.find("Pageable") != std::string::npos;
    op.event = e.index;
    if (op.kernel_class == KernelClass::collective) {
      op.communication = static_cast<std::int32_t>(kernels_.size());
      kernels_.emplace_back(e.name, nccl_metadata(e));
    }
    trace_.operations.push_back(op);
  }

  void take_call(const KinetoEvent& e) {
    if (!e.start_ns) fail(e, "lacks the key 'ts'");
    has_call_ = true;
    trace_.first_call_ns = std::min(trace_.first_call_ns, *e.start_ns);
    auto kind = kind_of_call(e.name);
    if (!kind) return;
    require_times(e);
    if (!e.correlation) fail(e, "lacks the argument 'correlation'");
    RuntimeCall call;
    call.kind = *kind;
    call.is_copy = e.name.find("emcpy") != std::string::npos;
    call.is_blocking = call.is_copy && e.name.find("Async") == std::string::npos;
    call.thread = threads_.index(e.thread);
    call.start_ns = *e.start_ns;
    call.duration_ns = *e.duration_ns;
    call.correlation = *e.correlation;
    trace_.calls.push_back(call);
  }

  /// Newer traces say which streams a wait or synchronise joins, by the correlation of the call.
  void take_sync(const KinetoEvent& e) {
    if (e.correlation && e.stream) syncs_.push_back(e);
  }
  void apply_syncs() {
    std::unordered_map<std::int64_t, std::size_t> call_of;
    for (std::size_t i = 0; i < trace_.calls.size(); ++i) call_of[trace_.calls[i].correlation] = i;
    for (const auto& e : syncs_) {
      auto it = call_of.find(*e.correlation);
      if (it == call_of.end()) continue;
      RuntimeCall& call = trace_.calls[it->second];
      if (*e.stream >= 0) call.stream = static_cast<std::int32_t>(stream_index(*e.stream));
      if (e.wait_on_stream && *e.wait_on_stream >= 0)
        call.wait_on_stream = static_cast<std::int32_t>(stream_index(*e.wait_on_stream));
      call.record_correlation = e.record_correlation.value_or(0);
    }
  }

  void take_annotation(const KinetoEvent& e, int trust) {
    if (!e.start_ns || !e.duration_ns) return;
    annotations_.push_back(
        {threads_.index(e.thread), *e.start_ns, *e.start_ns + *e.duration_ns, trust, nccl_metadata(e)});
  }

  /// Everything the annotations around a launch say, the innermost and the most trusted first.
  void complete_from_annotations(const RuntimeCall& launch, NcclMetadata& metadata) const {
    auto end = std::upper_bound(annotations_.begin(), annotations_.end(), launch.start_ns,
                                [](std::int64_t t, const Annotation& a) { return t < a.start_ns; });
    std::vector<const Annotation*> around;
    for (auto it = end; it != annotations_.begin() && end - it < 64;) {
      --it;
      if (it->thread == launch.thread && it->end_ns >= launch.start_ns) around.push_back(&*it);
    }
    std::stable_sort(around.begin(), around.end(), [](auto* a, auto* b) { return a->trust > b->trust; });
    for (const Annotation* a : around) metadata.complete(a->metadata);
  }

  void link_communications() {
    std::unordered_map<std::int64_t, const RuntimeCall*> launch_of;
    for (const auto& call : trace_.calls)
      if (call.kind == RuntimeCall::Kind::launch) launch_of[call.correlation] = &call;
    for (auto& op : trace_.operations) {
      if (op.communication < 0) continue;
      auto& [kernel, metadata] = kernels_[static_cast<std::size_t>(op.communication)];
      if (auto it = launch_of.find(op.correlation); it != launch_of.end())
        complete_from_annotations(*it->second, metadata);
      trace_.communications.push_back(describe(op, kernel, metadata));
      op.communication = static_cast<std::int32_t>(trace_.communications.size() - 1);
    }
  }

  Communication describe(const GpuOperation& op, const std::string& kernel, const NcclMetadata& m) {
    auto fail_op = [&](const std::string& what) {
      throw InputErrors(
          InputError{trace_.path, 0,
                     fmt::format("event {} '{}' (kernel): {}", op.event, short_kernel_name(kernel), what)});
    };
    auto operation = nccl_operation(kernel, m.collective);
    if (!operation)
      fail_op(
          fmt::format("cannot tell which communication this is (call '{}'; known: all-reduce, all-gather, "
                      "reduce-scatter, broadcast, all-to-all, send, recv)",
                      m.collective));
    Communication c;
    c.kind = operation->kind;
    c.type = operation->type;
    ProcessGroup group{m.group_size, m.group_description, m.ranks};
    if (group.size == 0) group.size = static_cast<std::int64_t>(group.ranks.size());
    c.element_bytes = element_bytes_of_type(m.dtype);
    if (c.element_bytes == 0) c.element_bytes = element_bytes_of_kernel(kernel);
    if (c.element_bytes == 0) c.element_bytes = options_.element_bytes;
    if (c.element_bytes == 0)
      fail_op(fmt::format("no data type (call '{}', type '{}'); give element-bytes", m.collective, m.dtype));
    std::int64_t elements = m.in_elements;
    constexpr std::int64_t most = largest_operation_bytes;
    if (c.type == CollectiveType::all_gather && m.out_elements)
      elements = m.out_elements;
    else if (c.type == CollectiveType::all_gather && m.in_elements <= most)
      elements = m.in_elements * std::max<std::int64_t>(1, group.size);
    if (c.kind == OpKind::recv && m.out_elements) elements = m.out_elements;
    if (elements <= 0)
      fail_op("no size: neither its arguments nor a record_param_comms around its launch tell the elements");
    if (elements > most / c.element_bytes)
      fail_op(fmt::format("{} elements of {} bytes are more than 16 TiB", elements, c.element_bytes));
    c.bytes = elements * c.element_bytes;
    c.peer_rank = c.kind == OpKind::send ? m.target_rank : c.kind == OpKind::recv ? m.source_rank : -1;
    if (c.kind != OpKind::collective && c.peer_rank < 0)
      fail_op("no 'Src Rank' or 'Dst Rank' of its partner");
    auto [it, is_new] = groups_.try_emplace(group, static_cast<std::uint32_t>(trace_.groups.size()));
    if (is_new) trace_.groups.push_back(std::move(group));
    c.group = it->second;
    return c;
  }

  void name_streams() {
    trace_.streams = streams_.all;
    std::vector<bool> communicates(trace_.streams.size());
    for (const auto& op : trace_.operations)
      if (op.communication >= 0) communicates[op.stream] = true;
    for (std::size_t i = 0; i < trace_.streams.size(); ++i)
      trace_.streams[i] = (communicates[i] ? "nccl " : "stream ") + trace_.streams[i];
    if (!has_call_) trace_.first_call_ns = trace_.operations.front().start_ns;
  }

  RankTrace& trace_;
  const KinetoRankOptions& options_;
  Texts threads_, names_, streams_;
  std::vector<Annotation> annotations_;
  std::vector<std::pair<std::string, NcclMetadata>> kernels_;
  std::vector<KinetoEvent> syncs_;
  std::map<ProcessGroup, std::uint32_t> groups_;
  bool has_call_ = false;
};

/// The last number in a file's name: "megatron_kineto_3.json.gz" -> 3.
std::optional<std::uint32_t> number_in(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  if (auto dot = name.find('.'); dot != std::string::npos) name.resize(dot);
  std::size_t end = name.find_last_of("0123456789");
  if (end == std::string::npos) return std::nullopt;
  std::size_t begin = name.find_last_not_of("0123456789", end);
  std::string digits = name.substr(begin == std::string::npos ? 0 : begin + 1, end + 1);
  if (digits.size() > 6) return std::nullopt;
  return static_cast<std::uint32_t>(std::stoul(digits));
}

}  // namespace

void RankTrace::reduce() {
  is_reduced = true;
  std::vector<GpuOperation> kept;
  for (const auto& op : operations)
    if (op.communication >= 0) kept.push_back(op);
  operations = std::move(kept);
  calls = {};
  names = {};
}

RankTrace read_kineto_rank(const std::string& path, std::uint32_t default_rank,
                           const KinetoRankOptions& options) {
  RankTrace trace;
  trace.path = path;
  trace.first_call_ns = std::numeric_limits<std::int64_t>::max();
  Collector collector(trace, options);
  GzipFile file(path);
  KinetoHeader header = read_kineto(file, path, [&](const KinetoEvent& e) { collector.take(e); });
  collector.finish();
  trace.rank = number_in(path).value_or(default_rank);
  nlohmann::json info = nlohmann::json::parse(header.distributed_info, nullptr, false);
  if (info.is_object()) {
    auto integer = [&](const char* key) -> std::int64_t {
      auto it = info.find(key);
      return it != info.end() && it->is_number_integer() ? it->get<std::int64_t>() : -1;
    };
    std::int64_t rank = integer("rank"), world = integer("world_size");
    if (rank >= 0 && rank < (1 << 20)) trace.rank = static_cast<std::uint32_t>(rank);
    if (world >= 0 && world <= (1 << 20)) trace.world_size = static_cast<std::uint32_t>(world);
    if (world > 0 && rank >= world)
      throw InputErrors(
          InputError{path, 0, fmt::format("distributedInfo: rank {} of {} ranks", rank, world)});
  }
  return trace;
}

}  // namespace lightrail
