#pragma once
#include <cstdint>
#include <string>

#include "engine/base/time.hpp"
#include "engine/model/describe.hpp"
#include "workloads/job/place_gpus.hpp"

namespace lightrail {

/// What a <workload> says of its job beside what the job does.
struct JobSpec {
  std::string name;             ///< of one of several; names its groups and its traffic
  std::string gpus;             ///< "0-31,64"; empty: `gpu_count` of those that no list names
  std::uint32_t gpu_count = 0;  ///< 0: the list says
  Placement placement = Placement::packed;
  SimTime start{};        ///< [ps]
  bool is_active = true;  ///< otherwise it only keeps its GPUs
};

[[nodiscard]] Describe<JobSpec> job_parameters();

}  // namespace lightrail
