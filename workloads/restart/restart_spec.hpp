#pragma once
#include <string>

#include "engine/model/describe.hpp"
#include "workloads/goodput/goodput_spec.hpp"
#include "workloads/program/restart_plan.hpp"

namespace lightrail {

/// <restart> of <faults>. A Model resource where something fails. Its defaults are those of <goodput>, which
/// plays the same stages over weeks.
struct JobRestartSpec {
  std::string spares;  ///< "30-31": servers by number
  SimTime detection = RestartSpec{}.detection, replacement = RestartSpec{}.replacement;
  SimTime rendezvous = RestartSpec{}.rendezvous;
  SimTime init = RestartSpec{}.init, init_per_gpu = RestartSpec{}.init_per_gpu;
  SimTime warm_up = RestartSpec{}.warm_up;

  [[nodiscard]] RestartStages stages() const {
    return {detection, replacement, rendezvous, init, init_per_gpu, warm_up};
  }
};

[[nodiscard]] Describe<JobRestartSpec> job_restart_parameters();

}  // namespace lightrail
