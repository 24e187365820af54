#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "components/gpu/compute/compute_model.hpp"

namespace lightrail {

/// Kernel times of one kind of GPU for the shapes of one job, computed when first asked for and shared by its
/// GPUs. A memo of a pure function: it holds no state of a GPU.
class KernelTimes {
 public:
  KernelTimes(const ComputeSpec& spec, const ProgramSet& set)
      : spec_(&spec), set_(&set), costs_(set.shapes.size()) {}

  KernelCost of(std::uint32_t shape) {
    if (costs_[shape].time == SimTime{0})
      costs_[shape] = kernel_cost(*spec_, set_->shapes[shape], Load::lasting);
    return costs_[shape];
  }
  [[nodiscard]] const ComputeSpec& spec() const { return *spec_; }
  /// Throws InputErrors naming the first operation of `program` whose shape this GPU has no parameters for.
  void check(std::uint32_t program, const std::vector<std::string>& names);

 private:
  const ComputeSpec* spec_;
  const ProgramSet* set_;
  std::vector<KernelCost> costs_;
  std::vector<bool> checked_;
};

/// One KernelTimes for each pair of spec and job that has GPUs alive.
class KernelTimesCache {
 public:
  std::shared_ptr<KernelTimes> get(const ComputeSpec& spec, const ProgramSet& set);

 private:
  std::map<std::pair<const void*, const void*>, std::weak_ptr<KernelTimes>> alive_;
};

}  // namespace lightrail
