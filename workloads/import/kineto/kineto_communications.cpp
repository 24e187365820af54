#include "workloads/import/kineto/kineto_communications.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "workloads/job/job.hpp"
#include "workloads/job/kernel_class.hpp"

namespace lightrail {

namespace {

constexpr std::int64_t most = largest_operation_bytes;

class Linker {
 public:
  Linker(const KinetoEvents& events, const KinetoRankOptions& options, RankTrace& trace)
      : events_(events), options_(options), trace_(trace), is_used_(events.communication_calls.size()) {}

  void run() {
    for (const auto& call : trace_.calls)
      if (call.kind == RuntimeCall::Kind::launch) launch_of_[call.correlation] = &call;
    find_batches();
    for (auto& op : trace_.operations) {
      if (op.communication < 0) continue;
      const auto& [kernel, told] = events_.nccl_kernels[static_cast<std::size_t>(op.communication)];
      NcclMetadata metadata = told;
      const RuntimeCall* launch = launch_of(op);
      if (launch)
        for (std::size_t i : calls_around(*launch))
          metadata.complete(events_.communication_calls[i].metadata);
      const auto first = static_cast<std::int32_t>(trace_.communications.size());
      const auto batch = batch_of_.find(op.event);
      if (batch == batch_of_.end())
        trace_.communications.push_back(describe(op.event, kernel, metadata));
      else
        for (std::size_t call : batch->second)
          trace_.communications.push_back(describe(op.event, kernel, of_batch(call, metadata)));
      op.parts = static_cast<std::uint32_t>(trace_.communications.size()) - static_cast<std::uint32_t>(first);
      op.communication = first;
    }
    add_empty_exchanges();
    say_sizes();
  }

 private:
  const RuntimeCall* launch_of(const GpuOperation& op) const {
    const auto it = launch_of_.find(op.correlation);
    return it == launch_of_.end() ? nullptr : it->second;
  }

  /// The calls around a launch, the innermost and the most trusted first; they are used up.
  std::vector<std::size_t> calls_around(const RuntimeCall& launch) {
    const auto& all = events_.communication_calls;
    const auto end =
        std::upper_bound(all.begin(), all.end(), launch.start_ns,
                         [](std::int64_t t, const CommunicationCall& a) { return t < a.start_ns; });
    std::vector<std::size_t> around;
    for (auto it = end; it != all.begin() && end - it < 64;) {
      --it;
      if (it->thread == launch.thread && it->end_ns >= launch.start_ns)
        around.push_back(static_cast<std::size_t>(it - all.begin()));
    }
    std::stable_sort(around.begin(), around.end(),
                     [&](std::size_t a, std::size_t b) { return all[a].trust > all[b].trust; });
    for (std::size_t i : around) is_used_[i] = true;
    return around;
  }

  /// The sends and receives that were called on the thread of a launch before it and have no kernel of their
  /// own: PyTorch's batch_isend_irecv executes them in one.
  void find_batches() {
    const auto& all = events_.communication_calls;
    std::vector<std::pair<const RuntimeCall*, const GpuOperation*>> batches;
    for (const auto& op : trace_.operations) {
      const RuntimeCall* launch = op.communication < 0 ? nullptr : launch_of(op);
      if (!launch) continue;
      auto [kernel, metadata] = events_.nccl_kernels[static_cast<std::size_t>(op.communication)];
      for (std::size_t i : calls_around(*launch)) metadata.complete(all[i].metadata);
      if (!nccl_operation(kernel, metadata.collective)) batches.emplace_back(launch, &op);
    }
    if (batches.empty()) return;
    std::stable_sort(batches.begin(), batches.end(),
                     [](const auto& a, const auto& b) { return a.first->start_ns < b.first->start_ns; });
    std::map<std::uint32_t, std::vector<std::size_t>> waiting;
    std::size_t next = 0;
    for (const auto& [launch, op] : batches) {
      for (; next < all.size() && all[next].start_ns <= launch->start_ns; ++next) {
        const auto operation = nccl_operation("SendRecv", all[next].metadata.collective);
        if (all[next].trust == 2 && !is_used_[next] && operation && operation->kind != OpKind::collective)
          waiting[all[next].thread].push_back(next);
      }
      auto& mine = waiting[launch->thread];
      if (mine.empty()) continue;
      for (std::size_t i : mine) is_used_[i] = true;
      batch_of_[op->event] = std::exchange(mine, {});
    }
  }

  /// What call `index` of a batch moves: from its own arguments, from the calls that it lies in or that lie
  /// in it, then from what is told of the batch.
  NcclMetadata of_batch(std::size_t index, NcclMetadata batch) const {
    const auto& all = events_.communication_calls;
    const CommunicationCall& call = all[index];
    NcclMetadata metadata = call.metadata;
    for (std::size_t k = index + 1; k < all.size() && all[k].start_ns <= call.end_ns; ++k)
      if (all[k].thread == call.thread && all[k].trust < 2) metadata.complete(all[k].metadata);
    for (std::size_t k = index; k-- > 0 && index - k < 16;)
      if (all[k].thread == call.thread && all[k].trust < 2 && all[k].end_ns >= call.end_ns)
        metadata.complete(all[k].metadata);
    batch.collective.clear();
    batch.in_elements = batch.out_elements = 0;
    batch.source_rank = batch.target_rank = -1;
    metadata.complete(batch);
    return metadata;
  }

  [[noreturn]] void fail(std::int64_t event, const std::string& kernel, const std::string& what) const {
    throw InputErrors(InputError{
        trace_.path, 0, fmt::format("event {} '{}' (kernel): {}", event, short_kernel_name(kernel), what)});
  }

  Communication describe(std::int64_t event, const std::string& kernel, const NcclMetadata& m) {
    const auto operation = nccl_operation(kernel, m.collective);
    if (!operation)
      fail(event, kernel,
           fmt::format("cannot tell which communication this is (call '{}'; known: all-reduce, all-gather, "
                       "reduce-scatter, broadcast, all-to-all, send, recv)",
                       m.collective));
    Communication c;
    c.kind = operation->kind;
    c.type = operation->type;
    c.event = event;
    ProcessGroup group = group_of(m);
    c.element_bytes = element_bytes_of_type(m.dtype);
    if (c.element_bytes == 0) c.element_bytes = element_bytes_of_kernel(kernel);
    if (c.element_bytes == 0) c.element_bytes = options_.element_bytes;
    c.is_native = m.nccl_bytes >= 0;
    if (c.element_bytes == 0 && c.is_native) c.element_bytes = 1;
    if (c.element_bytes == 0)
      fail(event, kernel,
           fmt::format("no data type (call '{}', type '{}'); give element-bytes", m.collective, m.dtype));
    if (c.type == CollectiveType::all_to_all) {
      c.exchange = static_cast<std::int32_t>(trace_.exchanges.size());
      trace_.exchanges.emplace_back();
      if (!c.is_native) fill_parts(event, kernel, m, c.element_bytes, trace_.exchanges.back());
    }
    c.bytes = bytes_of(event, kernel, m, group, c);
    c.peer_rank = c.kind == OpKind::send ? m.target_rank : c.kind == OpKind::recv ? m.source_rank : -1;
    if (c.kind != OpKind::collective && c.peer_rank < 0)
      fail(event, kernel, "no 'Src Rank' or 'Dst Rank' of its partner");
    auto [it, is_new] = groups_.try_emplace(group, static_cast<std::uint32_t>(trace_.groups.size()));
    if (is_new) trace_.groups.push_back(std::move(group));
    c.group = it->second;
    return c;
  }

  std::int64_t bytes_of(std::int64_t event, const std::string& kernel, const NcclMetadata& m,
                        const ProcessGroup& group, const Communication& c) {
    if (c.is_native && m.nccl_bytes > most)
      fail(event, kernel, fmt::format("{} bytes are more than 16 TiB", m.nccl_bytes));
    if (c.is_native && m.nccl_bytes > 0) return m.nccl_bytes;
    std::int64_t elements = m.in_elements;
    if (c.type == CollectiveType::all_gather && m.out_elements)
      elements = m.out_elements;
    else if (c.type == CollectiveType::all_gather && m.in_elements <= most)
      elements = m.in_elements * std::max<std::int64_t>(1, group.size);
    if (c.kind == OpKind::recv && m.out_elements) elements = m.out_elements;
    if (c.type == CollectiveType::all_to_all && elements == 0 && (m.says_in || m.in_split)) return 0;
    if (elements <= 0 && options_.collective_bytes > 0) {
      ++sized_;
      return options_.collective_bytes;
    }
    if (elements <= 0)
      fail(event, kernel,
           "no size: neither its arguments nor the call around its launch (record_param_comms; of Nsight "
           "Systems NCCL's NVTX range with its payload) tell the elements (collective-bytes gives one)");
    if (elements > most / c.element_bytes)
      fail(event, kernel,
           fmt::format("{} elements of {} bytes are more than 16 TiB", elements, c.element_bytes));
    return elements * c.element_bytes;
  }

  static ProcessGroup group_of(const NcclMetadata& m) {
    if (!m.communicator.empty()) return {m.group_size, "", m.communicator, {}, false, true};
    ProcessGroup group{m.group_size, m.group_description, m.group_name, {}, m.ranks.is_cut};
    for (std::int64_t rank : m.ranks.numbers) group.ranks.push_back(static_cast<std::uint32_t>(rank));
    if (group.size == 0 && !group.is_cut) group.size = static_cast<std::int64_t>(group.ranks.size());
    if ((group.is_cut || group.ranks.empty()) && m.first_rank >= 0 && m.rank_stride > 0 && group.size > 0) {
      group.ranks.clear();
      group.is_cut = false;
      for (std::int64_t i = 0; i < group.size; ++i)
        group.ranks.push_back(static_cast<std::uint32_t>(m.first_rank + i * m.rank_stride));
    }
    return group;
  }

  void fill_parts(std::int64_t event, const std::string& kernel, const NcclMetadata& m,
                  std::uint32_t element_bytes, ExchangeParts& parts) const {
    const auto fill = [&](std::int64_t elements, bool is_said, const std::optional<NumberList>& list,
                          const char* name, ExchangePart& part) {
      if (elements > most / element_bytes)
        fail(event, kernel,
             fmt::format("{} elements of {} bytes are more than 16 TiB", elements, element_bytes));
      if (is_said || elements > 0 || list) part.bytes = elements * element_bytes;
      if (!list) return;
      part.is_listed = true;
      part.is_cut = list->is_cut;
      std::int64_t rows = 0;
      for (std::int64_t n : list->numbers) {
        if (n < 0 || n > most) fail(event, kernel, fmt::format("'{}' holds {}", name, n));
        rows = std::min(rows + n, most);
      }
      std::int64_t row = m.row_elements;
      if (!list->is_cut) row = rows > 0 && elements % rows == 0 ? elements / rows : 0;
      if (rows > 0 && row == 0)
        fail(event, kernel,
             list->is_cut
                 ? fmt::format("'{}' is cut after {} members, and nothing says how long a row is", name,
                               list->numbers.size())
                 : fmt::format("'{}' has {} rows, which do not divide {} elements", name, rows, elements));
      for (std::int64_t n : list->numbers) {
        if (n > 0 && row > most / element_bytes / n)
          fail(event, kernel, fmt::format("'{}' holds {}", name, n));
        part.of_member.push_back(n * row * element_bytes);
      }
    };
    fill(m.in_elements, m.says_in, m.in_split, "In split size", parts.in);
    fill(m.out_elements, m.says_out, m.out_split, "Out split size", parts.out);
  }

  /// PyTorch starts no kernel where a rank neither gives nor takes anything.
  void add_empty_exchanges() {
    const auto& all = events_.communication_calls;
    std::int64_t correlation = -1;
    std::optional<std::uint32_t> name;
    std::optional<std::uint32_t> stream;
    for (const auto& op : trace_.operations)
      if (op.communication >= 0) stream = op.stream;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const NcclMetadata& m = all[i].metadata;
      const auto operation = nccl_operation("sendrecv", m.collective);
      if (is_used_[i] || all[i].trust != 2 || !operation || operation->type != CollectiveType::all_to_all ||
          !m.says_in || !m.says_out || m.in_elements != 0 || m.out_elements != 0 || !stream)
        continue;
      RuntimeCall call;
      call.thread = all[i].thread;
      call.start_ns = all[i].start_ns;
      call.correlation = --correlation;
      GpuOperation op;
      op.start_ns = all[i].start_ns;
      op.correlation = call.correlation;
      op.stream = *stream;
      op.kernel_class = KernelClass::collective;
      if (!name) {
        name = static_cast<std::uint32_t>(trace_.names.size());
        trace_.names.emplace_back("all-to-all without own part");
      }
      op.name = *name;
      op.communication = static_cast<std::int32_t>(trace_.communications.size());
      op.event = all[i].event;
      trace_.communications.push_back(describe(all[i].event, "ncclDevKernel_SendRecv", m));
      const auto is_earlier = [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; };
      trace_.calls.insert(std::upper_bound(trace_.calls.begin(), trace_.calls.end(), call, is_earlier), call);
      trace_.operations.insert(
          std::upper_bound(trace_.operations.begin(), trace_.operations.end(), op, is_earlier), op);
    }
    if (name) reorder();
  }

  /// Communications in the order of their operations again.
  void reorder() {
    std::vector<Communication> ordered;
    for (GpuOperation& op : trace_.operations) {
      if (op.communication < 0) continue;
      const auto first = static_cast<std::size_t>(op.communication);
      op.communication = static_cast<std::int32_t>(ordered.size());
      for (std::size_t part = 0; part < op.parts; ++part)
        ordered.push_back(std::move(trace_.communications[first + part]));
    }
    trace_.communications = std::move(ordered);
  }

  void say_sizes() {
    if (sized_ > 0)
      trace_.notes.push_back(fmt::format("{}: {} communications without a size take {} B (collective-bytes)",
                                         trace_.path, sized_, options_.collective_bytes));
  }

  const KinetoEvents& events_;
  const KinetoRankOptions& options_;
  RankTrace& trace_;
  std::vector<bool> is_used_;
  std::unordered_map<std::int64_t, const RuntimeCall*> launch_of_;
  std::map<std::int64_t, std::vector<std::size_t>> batch_of_;  ///< by the kernel's event
  std::map<ProcessGroup, std::uint32_t> groups_;
  std::int64_t sized_ = 0;
};

}  // namespace

void link_communications(const KinetoEvents& events, const KinetoRankOptions& options, RankTrace& trace) {
  Linker(events, options, trace).run();
}

}  // namespace lightrail
