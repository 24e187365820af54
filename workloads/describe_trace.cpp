#include <fmt/format.h>

#include <map>
#include <tuple>

#include "engine/base/time.hpp"
#include "workloads/operation_names.hpp"
#include "workloads/trace_file.hpp"

namespace lightrail {

namespace {

const char* kind_name(OpKind kind) {
  switch (kind) {
    case OpKind::compute:
      return "kernels";
    case OpKind::host:
      return "CPU spans";
    case OpKind::collective:
      return "collectives";
    case OpKind::send:
      return "sends";
    case OpKind::recv:
      return "receives";
    case OpKind::storage_read:
      return "storage reads";
    case OpKind::storage_write:
      return "storage writes";
    case OpKind::host_copy:
      return "host copies";
    case OpKind::marker:
      return "markers";
  }
  return "?";
}

}  // namespace

std::string describe_trace(const Job& job) {
  const auto& set = job.programs;
  std::string text = fmt::format("{} GPUs, {} programs, {} iteration(s), {} shapes\n", job.gpu_count,
                                 set.programs.size(), set.iterations, set.shapes.size());
  for (std::size_t k = 0; k < job.groups.size(); ++k) {
    const auto& kind = job.groups[k];
    text += fmt::format("group {}:", kind.name);
    for (const auto& d : kind.digits) text += fmt::format(" {} x stride {}", d.count, d.stride);
    if (!kind.listed.empty())
      text += fmt::format(" {} list(s) of {}", kind.listed.size(), kind.listed[0].size());
    text += '\n';
  }
  std::vector<std::int64_t> gpus(set.programs.size());
  for (std::uint32_t p : set.program_of_gpu) ++gpus[p];
  for (std::size_t p = 0; p < set.programs.size(); ++p) {
    const Program& program = set.programs[p];
    text += fmt::format("program '{}' on {} GPU(s): {} operations on {} streams", program.role, gpus[p],
                        program.ops.size(), program.streams.size());
    if (program.memory_bytes > 0)
      text += fmt::format(", {:.1f} GiB", static_cast<double>(program.memory_bytes) / (1ll << 30));
    std::map<OpKind, std::pair<std::int64_t, std::int64_t>> kinds;
    std::map<std::tuple<std::uint32_t, CollectiveType, std::int64_t>, std::int64_t> collectives;
    for (const Op& op : program.ops) {
      auto& [count, duration] = kinds[op.kind];
      ++count;
      duration += op.duration.count();
      if (op.kind == OpKind::collective) ++collectives[{op.group.value, op.collective, op.bytes}];
    }
    text += '\n';
    for (auto& [kind, totals] : kinds) {
      text += fmt::format("  {:>8} {}", totals.first, kind_name(kind));
      if (totals.second > 0) text += fmt::format(", {} in all", format_time(picoseconds(totals.second)));
      text += '\n';
    }
    for (auto& [key, count] : collectives) {
      auto [group, type, bytes] = key;
      text += fmt::format("  {:>8} x {} of {} B over {}\n", count, collective_name(type), bytes,
                          job.groups[group].name);
    }
  }
  if (!job.capture.ranks.empty())
    text += fmt::format("captured: step {}, {} collectives a rank, the fastest member's median {}\n",
                        format_time(picoseconds(job.capture.step_ps)), job.capture.collectives,
                        format_time(picoseconds(job.capture.fastest_median_ps)));
  return text;
}

}  // namespace lightrail
