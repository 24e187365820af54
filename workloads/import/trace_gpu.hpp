#pragma once
#include <string>
#include <vector>

namespace lightrail {

/// Of GPUs in the catalogue ("a100_sxm_80gb") the one that a profiler calls `name` ("NVIDIA A100-SXM4-80GB",
/// "NVIDIA H100 80GB HBM3"): the words agree on the model, and neither on another size of memory nor on
/// another board. "" where none does, or `name` names several GPUs.
[[nodiscard]] std::string gpu_called(const std::string& name, const std::vector<std::string>& gpus);

}  // namespace lightrail
