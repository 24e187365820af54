#pragma once
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/model/model.hpp"
#include "engine/model/remark.hpp"
#include "engine/scenario/scenario.hpp"
#include "workloads/goodput/goodput_plan.hpp"

namespace lightrail {

/// What `lightrail goodput` has to do; a Model resource.
struct GoodputRequest {
  GoodputPlan plan;  ///< what the simulated job is to tell is 0
  std::string job;   ///< of several; "": the only one
  bool simulates_step = false, simulates_write = false;
  bool is_synchronous = true;   ///< the checkpoint: training waits for a simulated write
  std::vector<Remark> remarks;  ///< what the weeks rest on: guesses, and what is taken for granted

  [[nodiscard]] bool simulates() const { return simulates_step || simulates_write; }
};

/// Reads <goodput>, where there is one: GoodputRequest and all parameters.
/// `model` has the system and the job. Mistakes go to `errors`: no failures, times that do not fit each
/// other, rates that nothing uses, more spares than servers, a step that nothing tells, a job that does not
/// exist, more failures than can be played.
[[nodiscard]] ModelPart read_goodput(const Scenario& scenario, const Model& model, ErrorList& errors);

}  // namespace lightrail
