#include "workloads/job/transform_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "engine/base/error.hpp"
#include "workloads/job/kernel_class.hpp"

namespace lightrail {

namespace {

SimTime scaled(SimTime duration, double factor) {
  if (factor == 1) return duration;
  return picoseconds(std::llround(static_cast<double>(duration.count()) * factor));
}

double factor_of(const KernelScale& scale, KernelClass kernel_class) {
  switch (kernel_class) {
    case KernelClass::gemm:
      return scale.gemm;
    case KernelClass::attention:
      return scale.attention;
    case KernelClass::memory_bound:
      return scale.memory_bound;
    case KernelClass::host_copy:
    case KernelClass::collective:
      return 1;
  }
  return 1;
}

}  // namespace

std::vector<std::vector<EndpointId>> lists_of(const GroupKind& kind, std::uint32_t gpu_count) {
  if (kind.digits.empty()) return kind.listed;
  std::vector<std::vector<EndpointId>> lists;
  GroupTable table;
  GroupKindId id = table.add(kind, gpu_count);
  for (std::uint32_t gpu = 0; gpu < gpu_count; ++gpu) {
    GroupView view = table.group_of(id, EndpointId{gpu});
    if (view.my_index != 0) continue;
    auto& list = lists.emplace_back();
    for (std::uint32_t i = 0; i < view.size; ++i) list.push_back(view.member(i));
  }
  return lists;
}

void scale_job(Job& job, const KernelScale& scale) {
  std::vector<double> factor;
  for (const auto& name : job.names) factor.push_back(factor_of(scale, classify_kernel(name)));
  for (auto& program : job.programs.programs)
    for (Op& op : program.ops) {
      if (op.kind == OpKind::host) op.duration = scaled(op.duration, scale.host);
      if (op.kind == OpKind::compute && op.duration.count() > 0)
        op.duration = std::max(picoseconds(1), scaled(op.duration, factor[op.name]));
    }
}

void place_job(Job& job, const std::vector<std::uint32_t>& placement, std::uint32_t gpu_count) {
  auto fail = [](const std::string& what) { throw InputErrors(InputError{"", 0, what}); };
  if (job.gpu_count > gpu_count)
    fail(fmt::format("a job of {} GPUs does not fit a system of {}", job.gpu_count, gpu_count));
  if (placement.empty() && job.gpu_count == gpu_count) return;
  std::vector<std::uint32_t> to = placement;
  if (to.empty())
    for (std::uint32_t g = 0; g < job.gpu_count; ++g) to.push_back(g);
  if (to.size() != job.gpu_count)
    fail(fmt::format("a placement on {} GPUs for a job of {}", to.size(), job.gpu_count));
  std::vector<std::uint32_t> program_of(gpu_count, 0xffffffff);
  for (std::uint32_t g = 0; g < job.gpu_count; ++g) {
    if (to[g] >= gpu_count) fail(fmt::format("gpu {} does not exist (there are {} GPUs)", to[g], gpu_count));
    if (program_of[to[g]] != 0xffffffff) fail(fmt::format("gpu {} is placed twice", to[g]));
    program_of[to[g]] = job.programs.program_of_gpu[g];
  }
  for (auto& rank : job.capture.ranks)
    if (rank.gpu < to.size()) rank.gpu = to[rank.gpu];
  for (auto& kind : job.groups) {
    kind.listed = lists_of(kind, job.gpu_count);
    kind.digits.clear();
    for (auto& list : kind.listed)
      for (EndpointId& gpu : list) gpu = EndpointId{to[gpu.value]};
  }
  if (std::find(program_of.begin(), program_of.end(), 0xffffffff) != program_of.end()) {
    Program idle;
    idle.role = "idle";
    idle.streams = {"compute"};
    job.programs.programs.push_back(std::move(idle));
    std::replace(program_of.begin(), program_of.end(), 0xffffffff,
                 static_cast<std::uint32_t>(job.programs.programs.size() - 1));
  }
  job.programs.program_of_gpu = std::move(program_of);
  job.gpu_count = gpu_count;
}

}  // namespace lightrail
