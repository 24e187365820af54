#pragma once
#include <cstdint>
#include <vector>

#include "components/gpu/compute/compute_model.hpp"
#include "engine/model/state_io.hpp"
#include "network/wire/serving_control.hpp"
#include "workloads/program/serving.hpp"

namespace lightrail {

/// The batches that the scheduler of an inference job gives one GPU, worked on in the order they come, and
/// the GPU's program with the sizes that the batch at work gives its operations.
class BatchQueue {
 public:
  BatchQueue(const ServingPlan& plan, const ProgramSet& set, std::uint32_t program, const ComputeSpec& spec);

  [[nodiscard]] const Program& program() const { return program_; }
  [[nodiscard]] bool is_busy() const { return !batches_.empty(); }
  /// What the next batch has ...
  void take(const serving_control::Prefill& prompts);
  void take(const serving_control::Decode& decode);
  /// ... and that it is complete; true when that makes an idle GPU busy.
  bool take(const serving_control::Go& go);
  /// The batch at work has ended: its number. The next one is at work.
  std::uint32_t end();
  /// Of a kernel of the batch at work; time 0: it has nothing to do.
  KernelCost cost_of(std::uint32_t shape);

  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  void apply();

  const ServingPlan& plan_;
  const ProgramSet& set_;
  const ComputeSpec& spec_;
  const ServingProgram& rules_;
  const Program& units_;  ///< for one unit
  Program program_;
  std::vector<KernelCost> costs_;    ///< by shape, of the batch at work; below 0: not computed yet
  std::vector<BatchSizes> batches_;  ///< the first is at work
  BatchSizes next_;                  ///< what has been told of the one that comes
};

}  // namespace lightrail
