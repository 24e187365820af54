#include "components/gpu/kernel_times.hpp"

#include "workloads/program/program_index.hpp"

namespace lightrail {

void KernelTimes::check(std::uint32_t program, const std::vector<std::string>& names) {
  if (checked_.empty()) checked_.resize(set_->programs.size());
  if (checked_[program]) return;
  const Program& p = set_->programs[program];
  for (std::uint32_t i = 0; i < p.ops.size(); ++i) {
    const Op& op = p.ops[i];
    if (op.kind != OpKind::compute || op.duration != SimTime{0}) continue;
    if (std::string missing = missing_for(*spec_, set_->shapes[op.shape]); !missing.empty())
      throw InputErrors(
          InputError{"", 0, describe_op(p, i, names) + ": the GPU that runs it has " + missing});
  }
  checked_[program] = true;
}

std::shared_ptr<KernelTimes> KernelTimesCache::get(const ComputeSpec& spec, const ProgramSet& set) {
  auto& known = alive_[{&spec, &set}];
  std::shared_ptr<KernelTimes> times = known.lock();
  if (!times) known = times = std::make_shared<KernelTimes>(spec, set);
  return times;
}

}  // namespace lightrail
