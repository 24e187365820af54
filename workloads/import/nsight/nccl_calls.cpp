#include "workloads/import/nsight/nccl_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/import/kineto/nccl_metadata.hpp"

namespace lightrail {

namespace {

constexpr std::int64_t most_ranks = 1 << 20;

std::string name_of(std::uint64_t communicator) {
  return fmt::format("{:#x}", communicator);
}

bool is_group_end(const NcclCalls::Call& call) {
  return call.name == "ncclGroupEnd";
}

/// Which operation a call is; nothing for what moves no data.
std::optional<NcclOperation> operation_of(const NcclCalls::Call& call) {
  return call.payload.bytes ? nccl_operation("sendrecv", call.name) : std::nullopt;
}

std::uint64_t communicator_of(const NcclCalls::Call& call) {
  return call.payload.communicator.value_or(0);
}

}  // namespace

void NcclCalls::add(const std::string& thread, Call call) {
  const NcclPayload& p = call.payload;
  if (p.communicator && p.size && p.rank && *p.size > 0 && *p.size <= most_ranks && *p.rank >= 0 &&
      *p.rank < *p.size)
    if (!places_.contains(*p.communicator)) {
      places_[*p.communicator] = memberships_.size();
      memberships_.push_back({name_of(*p.communicator), static_cast<std::uint32_t>(*p.rank),
                              static_cast<std::uint32_t>(*p.size)});
    }
  calls_[thread].push_back(std::move(call));
}

KinetoEvent NcclCalls::with(KinetoEvent event, const Call& call) const {
  event.collective = call.name;
  event.nccl_bytes = call.payload.bytes;
  if (call.payload.communicator) {
    event.communicator = name_of(*call.payload.communicator);
    if (const auto place = places_.find(*call.payload.communicator); place != places_.end())
      event.group_size = memberships_[place->second].size;
  }
  if (call.payload.peer) event.source_rank = event.target_rank = call.payload.peer;
  return event;
}

/// A message of a rank to itself is a copy inside its GPU.
void NcclCalls::drop_own_messages(Calls& calls) {
  own_ += static_cast<std::int64_t>(std::erase_if(calls, [&](const Call* call) {
    const auto place = places_.find(communicator_of(*call));
    return call->payload.peer && place != places_.end() &&
           *call->payload.peer == std::int64_t{memberships_[place->second].place};
  }));
}

void NcclCalls::assign(const std::string& path, const Group& group, std::vector<Calls>& of_kernel) const {
  // By kind of operation, all messages as one kind.
  using Kind = std::pair<OpKind, CollectiveType>;
  const auto kind_of = [](const NcclOperation& operation) {
    return operation.kind == OpKind::collective ? Kind{operation.kind, operation.type}
                                                : Kind{OpKind::send, CollectiveType::none};
  };
  std::map<Kind, Calls> calls;
  for (const Call* call : group.calls)
    if (const auto operation = operation_of(*call)) calls[kind_of(*operation)].push_back(call);
  std::map<Kind, std::vector<std::size_t>> kernels;
  for (std::size_t k : group.kernels) {
    const auto operation = nccl_operation(kernels_[k].event.name, "ncclSend");
    const Kind kind = operation ? kind_of(*operation) : Kind{OpKind::send, CollectiveType::none};
    // A kernel of any name may execute what is the only kind of calls.
    kernels[calls.size() == 1 ? calls.begin()->first : kind].push_back(k);
  }
  for (const auto& [kind, mine] : kernels) {
    const Calls& all = calls[kind];
    std::vector<std::uint64_t> communicators;
    for (const Call* call : all)
      if (std::find(communicators.begin(), communicators.end(), communicator_of(*call)) ==
          communicators.end())
        communicators.push_back(communicator_of(*call));
    const bool is_each = kind.first == OpKind::collective && mine.size() == all.size();
    if (!is_each && mine.size() != communicators.size())
      throw InputErrors(InputError{
          path, 0,
          fmt::format(
              "event {}: {} calls of NCCL on {} communicators between ncclGroupStart and ncclGroupEnd, "
              "executed by {} kernels: nothing says which by which",
              kernels_[mine[0]].event.index, all.size(), communicators.size(), mine.size())});
    for (std::size_t i = 0; i < mine.size(); ++i)
      for (std::size_t c = 0; c < all.size(); ++c)
        if (is_each ? c == i : communicator_of(*all[c]) == communicators[i])
          of_kernel[mine[i]].push_back(all[c]);
  }
}

void NcclCalls::hand_over(const std::string& path, const std::function<void(const KinetoEvent&)>& on_event,
                          std::vector<std::string>& notes) {
  std::stable_sort(kernels_.begin(), kernels_.end(),
                   [](const auto& a, const auto& b) { return a.launch_ns < b.launch_ns; });
  for (auto& [thread, calls] : calls_)
    std::stable_sort(calls.begin(), calls.end(),
                     [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  std::vector<Calls> of_kernel(kernels_.size());
  std::map<std::pair<std::string, std::size_t>, Group> groups;  // by thread and its ncclGroupEnd
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    const Kernel& kernel = kernels_[k];
    const auto of_thread = calls_.find(kernel.thread);
    if (of_thread == calls_.end()) continue;
    const std::vector<Call>& calls = of_thread->second;
    auto it = std::upper_bound(calls.begin(), calls.end(), kernel.launch_ns,
                               [](std::int64_t t, const Call& call) { return t < call.start_ns; });
    // The innermost call around the launch that says something; few are nested.
    for (int looked = 0; it != calls.begin() && looked < 64; ++looked) {
      --it;
      if (it->end_ns < kernel.launch_ns) continue;
      if (operation_of(*it)) {
        of_kernel[k].push_back(&*it);
        break;
      }
      if (!is_group_end(*it)) continue;
      groups[{kernel.thread, static_cast<std::size_t>(it - calls.begin())}].kernels.push_back(k);
      break;
    }
  }
  for (auto& [key, group] : groups) {
    const std::vector<Call>& calls = calls_.at(key.first);
    std::size_t first = key.second;
    while (first > 0 && !is_group_end(calls[first - 1])) --first;
    for (std::size_t i = first; i < key.second; ++i)
      if (calls[i].end_ns <= calls[key.second].start_ns) group.calls.push_back(&calls[i]);
    assign(path, group, of_kernel);
  }
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    Calls& calls = of_kernel[k];
    drop_own_messages(calls);
    const Kernel& kernel = kernels_[k];
    if (calls.size() == 1) {
      on_event(with(kernel.event, *calls[0]));
      continue;
    }
    if (!calls.empty() && operation_of(*calls[0])->kind == OpKind::collective) {
      Call sum = *calls[0];
      for (std::size_t i = 1; i < calls.size(); ++i)
        *sum.payload.bytes =
            std::min(std::numeric_limits<std::int64_t>::max() / 4,
                     *sum.payload.bytes + std::max<std::int64_t>(0, *calls[i]->payload.bytes));
      summed_ += static_cast<std::int64_t>(calls.size());
      on_event(with(kernel.event, sum));
      continue;
    }
    for (const Call* call : calls) {
      KinetoEvent event;
      event.index = kernel.event.index;
      event.phase = "X";
      event.category = "cpu_op";
      event.name = "record_param_comms";
      event.thread = kernel.thread;
      event.start_ns = std::max<std::int64_t>(1, kernel.launch_ns) - 1;
      event.duration_ns = 0;
      on_event(with(std::move(event), *call));
    }
    on_event(kernel.event);
  }
  if (own_ > 0)
    notes.push_back(fmt::format("{}: {} messages of ranks to themselves are left out", path, own_));
  if (summed_ > 0)
    notes.push_back(
        fmt::format("{}: {} collectives that a kernel executes with others of their kind are one with them",
                    path, summed_));
}

}  // namespace lightrail
