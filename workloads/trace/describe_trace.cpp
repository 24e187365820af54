#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/time.hpp"
#include "workloads/job/operation_names.hpp"
#include "workloads/trace/trace_digest.hpp"

namespace lightrail {

namespace {

constexpr std::size_t max_told = 16;

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

void ProgramDigest::add(const Op& op) {
  ++ops;
  auto& [count, duration] = kinds[op.kind];
  ++count;
  duration += op.duration;
  if (op.kind == OpKind::collective) ++collectives[{op.group.value, op.collective, op.bytes}];
  if (op.kind == OpKind::send) sent_bytes += op.bytes;
}

ProgramDigest digest(const Program& program) {
  ProgramDigest d;
  d.role = program.role;
  d.streams = program.streams.size();
  d.memory_bytes = program.memory_bytes;
  for (const Op& op : program.ops) d.add(op);
  return d;
}

std::string describe_trace(const Job& job, const std::vector<ProgramDigest>& programs) {
  const auto& set = job.programs;
  std::string text = fmt::format("{} GPUs, {} programs, {} iteration(s), {} shapes\n", job.gpu_count,
                                 programs.size(), set.iterations, set.shapes.size());
  for (const auto& kind : job.groups) {
    text += fmt::format("group {}:", kind.name);
    for (const auto& d : kind.digits) text += fmt::format(" {} x stride {}", d.count, d.stride);
    if (!kind.listed.empty())
      text += fmt::format(" {} list(s) of {}", kind.listed.size(), kind.listed[0].size());
    text += '\n';
  }
  std::vector<std::int64_t> gpus(programs.size());
  for (std::uint32_t p : set.program_of_gpu) ++gpus[p];
  for (std::size_t p = 0; p < set.programs.size(); ++p)
    if (set.programs[p].next != itself) gpus[set.programs[p].next] += gpus[p];
  for (std::size_t p = 0; p < programs.size(); ++p) {
    if (p == max_told) {
      text += fmt::format("and {} more programs\n", programs.size() - p);
      break;
    }
    const ProgramDigest& program = programs[p];
    text += fmt::format("program '{}' on {} GPU(s): {} operations on {} streams", program.role, gpus[p],
                        program.ops, program.streams);
    if (program.memory_bytes > 0)
      text += fmt::format(", {:.1f} GiB", static_cast<double>(program.memory_bytes) / (1ll << 30));
    text += '\n';
    for (auto& [kind, totals] : program.kinds) {
      text += fmt::format("  {:>8} {}", totals.first, kind_name(kind));
      if (totals.second > SimTime{0}) text += fmt::format(", {} in all", format_time(totals.second));
      if (kind == OpKind::send) text += fmt::format(", {} B in all", program.sent_bytes);
      text += '\n';
    }
    for (auto& [key, count] : program.collectives) {
      auto [group, type, bytes] = key;
      text += fmt::format("  {:>8} x {} of {} B over {}\n", count, collective_name(type), bytes,
                          job.groups[group].name);
    }
  }
  if (!job.capture.ranks.empty())
    text += fmt::format("captured: {}{} collectives a rank, {} median {}\n",
                        job.capture.step_ps > 0
                            ? fmt::format("step {}, ", format_time(picoseconds(job.capture.step_ps)))
                            : "",
                        job.capture.collectives,
                        job.capture.ranks.size() > 1 ? "the fastest member's" : "the one captured rank's",
                        format_time(picoseconds(job.capture.fastest_median_ps)));
  if (!job.capture.gpus.empty()) text += fmt::format("recorded on {}\n", job.capture.gpus);
  for (std::size_t i = 0; i < std::min(job.notes.size(), max_told); ++i)
    text += "note: " + job.notes[i] + "\n";
  if (job.notes.size() > max_told) text += fmt::format("and {} more notes\n", job.notes.size() - max_told);
  return text;
}

std::string describe_trace(const Job& job) {
  std::vector<ProgramDigest> programs;
  for (const Program& program : job.programs.programs) programs.push_back(digest(program));
  return describe_trace(job, programs);
}

}  // namespace lightrail
