#pragma once
#include "engine/scenario/element.hpp"
#include "workloads/job/transform_job.hpp"

namespace lightrail {

/// What a GPU reaches in practice, read from its catalogue element: peaks times measured efficiencies.
struct GpuRoofs {
  double gemm_flops = 0;       ///< <gemm dtype="bf16">: peak x efficiency [1/s]
  double attention_flops = 0;  ///< bf16 peak x <attention efficiency> [1/s]
  double memory_bytes = 0;     ///< HBM bandwidth x <memory-kernel efficiency> [B/s]
};

[[nodiscard]] GpuRoofs read_roofs(const Element& gpu, ErrorList& errors);

/// The <gpu> of the first <cluster>, or null.
[[nodiscard]] const Element* system_gpu(const Element& scenario);

/// Durations grow by the ratio of the roofs, class by class.
[[nodiscard]] KernelScale scale_between(const GpuRoofs& from, const GpuRoofs& to, double host_scale);

}  // namespace lightrail
