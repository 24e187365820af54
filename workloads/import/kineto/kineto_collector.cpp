#include "workloads/import/kineto/kineto_collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/import/kineto/runtime_call_kind.hpp"
#include "workloads/job/kernel_class.hpp"

namespace lightrail {

namespace {

bool starts_with(const std::string& text, const char* word) {
  return text.rfind(word, 0) == 0;
}

constexpr const char* step_prefix = "ProfilerStep#";

}  // namespace

std::uint32_t Texts::index(const std::string& text) {
  auto [it, is_new] = index_.try_emplace(text, static_cast<std::uint32_t>(all.size()));
  if (is_new) all.push_back(text);
  return it->second;
}

KinetoCollector::KinetoCollector(std::string path) : path_(std::move(path)) {
  events_.first_call_ns = std::numeric_limits<std::int64_t>::max();
}

void KinetoCollector::take(const KinetoEvent& e) {
  if (e.phase != "X") return;
  if (e.category == "kernel" || e.category == "gpu_memcpy" || e.category == "gpu_memset")
    take_operation(e);
  else if (e.category == "cuda_runtime" || e.category == "cuda_driver")
    take_call(e);
  else if (e.category == "cuda_sync") {
    // Newer traces say which streams a wait or synchronise joins, by the correlation of the call.
    if (e.correlation && e.stream) events_.syncs.push_back(e);
  } else if (e.name == "record_param_comms")
    take_communication_call(e, 2);
  else if (e.category == "gpu_user_annotation")
    return;
  else if (starts_with(e.name, "nccl:"))
    take_communication_call(e, 1);
  else if (starts_with(e.name, "c10d::"))
    take_communication_call(e, 0);
  else if (starts_with(e.name, step_prefix))
    take_step(e);
  if (e.category == "cpu_op" && e.external_id && e.start_ns)
    events_.cpu_operators.try_emplace(
        *e.external_id, KinetoEvents::CpuOperator{*e.start_ns, events_.threads.index(e.thread)});
}

KinetoEvents KinetoCollector::finish() {
  apply_syncs();
  const auto is_earlier = [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; };
  std::stable_sort(events_.calls.begin(), events_.calls.end(), is_earlier);
  std::stable_sort(events_.kernels.begin(), events_.kernels.end(),
                   [](const auto& a, const auto& b) { return a.operation.start_ns < b.operation.start_ns; });
  std::stable_sort(events_.communication_calls.begin(), events_.communication_calls.end(), is_earlier);
  std::stable_sort(events_.steps.begin(), events_.steps.end(), is_earlier);
  if (events_.kernels.empty())
    throw InputErrors(
        InputError{path_, 0, "no kernel, copy or memset among the events (was the GPU profiled?)"});
  return std::move(events_);
}

void KinetoCollector::fail(const KinetoEvent& e, const std::string& what) const {
  throw InputErrors(InputError{
      path_, 0, fmt::format("event {} '{}' ({}): {}", e.index, short_kernel_name(e.name), e.category, what)});
}

void KinetoCollector::require_times(const KinetoEvent& e) const {
  if (!e.start_ns) fail(e, "lacks the key 'ts'");
  if (!e.duration_ns) fail(e, "lacks the key 'dur'");
  if (*e.duration_ns < 0)
    fail(e, fmt::format("negative duration {} us", static_cast<double>(*e.duration_ns) / 1e3));
  if (*e.start_ns < 0) fail(e, fmt::format("negative time {} us", static_cast<double>(*e.start_ns) / 1e3));
}

void KinetoCollector::take_operation(const KinetoEvent& e) {
  require_times(e);
  if (!e.correlation) fail(e, "lacks the argument 'correlation'");
  KinetoEvents::Kernel kernel;
  GpuOperation& op = kernel.operation;
  op.start_ns = *e.start_ns;
  op.duration_ns = *e.duration_ns;
  op.correlation = *e.correlation;
  op.stream = e.stream ? events_.streams.index(std::to_string(*e.stream)) : events_.streams.index(e.thread);
  op.kernel_class = e.category == "gpu_memset" ? KernelClass::memory_bound : classify_kernel(e.name);
  if (e.category == "gpu_memcpy" && op.kernel_class == KernelClass::collective)
    op.kernel_class = KernelClass::memory_bound;
  op.name = events_.names.index(short_kernel_name(e.name));
  op.is_pageable_copy = e.category == "gpu_memcpy" && e.name.find("Pageable") != std::string::npos;
  op.event = e.index;
  if (op.kernel_class == KernelClass::collective) {
    op.communication = static_cast<std::int32_t>(events_.nccl_kernels.size());
    events_.nccl_kernels.push_back({e.name, nccl_metadata(e)});
  }
  kernel.device = e.device.value_or(-1);
  kernel.external_id = e.external_id.value_or(-1);
  events_.kernels.push_back(kernel);
}

void KinetoCollector::take_call(const KinetoEvent& e) {
  if (!e.start_ns) fail(e, "lacks the key 'ts'");
  events_.has_call = true;
  events_.first_call_ns = std::min(events_.first_call_ns, *e.start_ns);
  const auto kind = runtime_call_kind(e.name);
  if (!kind) return;
  require_times(e);
  if (!e.correlation) fail(e, "lacks the argument 'correlation'");
  RuntimeCall call;
  call.kind = *kind;
  call.is_copy = e.name.find("emcpy") != std::string::npos;
  call.is_blocking = call.is_copy && e.name.find("Async") == std::string::npos;
  call.thread = events_.threads.index(e.thread);
  call.start_ns = *e.start_ns;
  call.duration_ns = *e.duration_ns;
  call.correlation = *e.correlation;
  events_.calls.push_back(call);
}

void KinetoCollector::apply_syncs() {
  std::unordered_map<std::int64_t, std::size_t> call_of;
  for (std::size_t i = 0; i < events_.calls.size(); ++i) call_of[events_.calls[i].correlation] = i;
  const auto stream = [&](std::int64_t number) {
    return static_cast<std::int32_t>(events_.streams.index(std::to_string(number)));
  };
  for (const auto& e : events_.syncs) {
    auto it = call_of.find(*e.correlation);
    if (it == call_of.end()) continue;
    RuntimeCall& call = events_.calls[it->second];
    if (*e.stream >= 0) call.stream = stream(*e.stream);
    if (e.wait_on_stream && *e.wait_on_stream >= 0) call.wait_on_stream = stream(*e.wait_on_stream);
    call.record_correlation = e.record_correlation.value_or(0);
  }
}

void KinetoCollector::take_communication_call(const KinetoEvent& e, int trust) {
  if (!e.start_ns || !e.duration_ns) return;
  if (e.rank && *e.rank >= 0 && *e.rank < (1 << 20) && events_.told_rank < 0) events_.told_rank = *e.rank;
  events_.communication_calls.push_back({events_.threads.index(e.thread), *e.start_ns,
                                         *e.start_ns + *e.duration_ns, trust, e.index, nccl_metadata(e),
                                         e.record_function.value_or(-1)});
}

void KinetoCollector::take_step(const KinetoEvent& e) {
  const std::string digits = e.name.substr(std::string(step_prefix).size());
  std::int64_t number = 0;
  const char* end = digits.data() + digits.size();
  if (!e.start_ns || !e.duration_ns || *e.duration_ns < 0) return;
  if (auto [stop, code] = std::from_chars(digits.data(), end, number); code != std::errc{} || stop != end)
    return;
  events_.steps.push_back({number, *e.start_ns, *e.start_ns + *e.duration_ns});
}

}  // namespace lightrail
