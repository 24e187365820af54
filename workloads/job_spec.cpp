#include "workloads/job_spec.hpp"

namespace lightrail {

Describe<JobSpec> job_parameters() {
  return Describe<JobSpec>()
      .field("name", &JobSpec::name, "of one of several jobs: names its groups and traffic, NAME.tp")
      .field("gpus", &JobSpec::gpus, "GPUs of the job, in its order: 0-31,64")
      .field("gpu-count", &JobSpec::gpu_count, "or how many of those that no list of a job names",
             std::uint32_t{1}, UINT32_MAX)
      .choice(
          "placement", &JobSpec::placement,
          "which these are: the first ones, whole servers, of one leaf after the other, drawn, in servers "
          "that are drawn",
          placement_names())
      .field("start", &JobSpec::start, "simulated time at which the job begins", SimTime{0}, time_never)
      .field("active", &JobSpec::is_active, "off: the job only keeps its GPUs, to see others without it");
}

}  // namespace lightrail
