#include "components/gpu/compute/kernel_times.hpp"

#include <cstdint>

#include "components/gpu/check_gpus.hpp"

namespace lightrail {

void KernelTimes::check(std::uint32_t program, const std::vector<std::string>& names) {
  if (checked_.empty()) checked_.resize(set_->programs.size());
  if (checked_[program]) return;
  if (std::string missing = missing_kernel(*spec_, *set_, program, names); !missing.empty())
    throw InputErrors(InputError{"", 0, std::move(missing)});
  checked_[program] = true;
}

std::shared_ptr<KernelTimes> KernelTimesCache::get(const ComputeSpec& spec, const ProgramSet& set) {
  auto& known = alive_[{&spec, &set}];
  std::shared_ptr<KernelTimes> times = known.lock();
  if (!times) known = times = std::make_shared<KernelTimes>(spec, set);
  return times;
}

}  // namespace lightrail
