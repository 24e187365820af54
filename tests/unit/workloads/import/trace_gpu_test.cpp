#include "workloads/import/trace_gpu.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace lightrail {

TEST_CASE("the GPU that a profiler names is found among the catalogue's") {
  const std::vector<std::string> gpus{"a100_sxm_80gb", "b200_sxm", "gb200",
                                      "h100_pcie",     "h100_sxm", "h20_sxm"};
  CHECK(gpu_called("NVIDIA A100-SXM4-80GB", gpus) == "a100_sxm_80gb");
  CHECK(gpu_called("NVIDIA H100 80GB HBM3", gpus) == "h100_sxm");
  CHECK(gpu_called("NVIDIA H100 PCIe", gpus) == "h100_pcie");
  CHECK(gpu_called("NVIDIA GB200", gpus) == "gb200");
  CHECK(gpu_called("NVIDIA B200", gpus) == "b200_sxm");
  CHECK(gpu_called("NVIDIA H20", gpus) == "h20_sxm");
}

TEST_CASE("a GPU of another model, board or memory is not taken for one of the catalogue's") {
  const std::vector<std::string> gpus{"a100_sxm_80gb", "h100_sxm"};
  CHECK(gpu_called("NVIDIA A100-SXM4-40GB", gpus).empty());
  CHECK(gpu_called("NVIDIA H100 PCIe", gpus).empty());
  CHECK(gpu_called("NVIDIA H200", gpus).empty());
  CHECK(gpu_called("Tesla V100-SXM2-16GB", gpus).empty());
  CHECK(gpu_called("NVIDIA A100-SXM4-80GB, NVIDIA H100 80GB HBM3", gpus).empty());
  CHECK(gpu_called("", gpus).empty());
}

}  // namespace lightrail
