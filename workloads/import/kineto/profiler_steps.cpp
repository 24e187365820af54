#include "workloads/import/kineto/profiler_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_set>

#include "engine/base/error.hpp"
#include "workloads/import/number_range.hpp"

namespace lightrail {

void choose_steps(const std::vector<KinetoEvents::Step>& steps, const std::string& wanted, RankTrace& trace) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = -1;
  for (const auto& step : steps) first = std::min(first, step.number), last = std::max(last, step.number);
  if (wanted.empty()) {
    if (last > first)
      trace.notes.push_back(
          fmt::format("{}: the profiler's steps {} to {} are replayed as one iteration, whose time is that "
                      "of all (steps chooses some)",
                      trace.path, first, last));
    return;
  }
  const auto range = parse_range(wanted, trace.path);
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max(), end_ns = -1;
  for (std::int64_t number : {range.first, range.second})
    if (std::none_of(steps.begin(), steps.end(), [&](const auto& step) { return step.number == number; }))
      throw InputErrors(
          InputError{trace.path, 0,
                     fmt::format("step {} is not in the trace ({})", number,
                                 steps.empty() ? std::string("no event 'ProfilerStep#...'")
                                               : fmt::format("it has steps {} to {}", first, last))});
  for (const auto& step : steps)
    if (step.number >= range.first && step.number <= range.second)
      begin_ns = std::min(begin_ns, step.start_ns), end_ns = std::max(end_ns, step.end_ns);
  const auto is_inside = [&](std::int64_t at) { return at >= begin_ns && at < end_ns; };
  std::unordered_set<std::int64_t> inside, launched;
  for (const RuntimeCall& call : trace.calls) {
    if (call.kind != RuntimeCall::Kind::launch) continue;
    launched.insert(call.correlation);
    if (is_inside(call.start_ns)) inside.insert(call.correlation);
  }
  std::erase_if(trace.calls, [&](const RuntimeCall& call) { return !is_inside(call.start_ns); });
  std::erase_if(trace.operations, [&](const GpuOperation& op) {
    return launched.contains(op.correlation) ? !inside.contains(op.correlation) : !is_inside(op.start_ns);
  });
  if (trace.operations.empty())
    throw InputErrors(
        InputError{trace.path, 0, fmt::format("steps {}: no operation is launched in them", wanted)});
  trace.first_call_ns = begin_ns;
}

}  // namespace lightrail
