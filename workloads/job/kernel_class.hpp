#pragma once
#include <cstdint>
#include <string>

namespace lightrail {

/// What limits a kernel, for scaling its measured duration to another GPU.
enum class KernelClass : std::uint8_t {
  gemm,          ///< matrix units
  attention,     ///< fused attention: matrix units
  memory_bound,  ///< element-wise, reductions, norms, copies inside the GPU, memset: HBM
  host_copy,     ///< between GPU and host: PCIe
  collective     ///< simulated, not scaled
};

/// By the kernel's name: the libraries' naming habits (cutlass, xmma, cublas, s16816gemm, nvjet; flash,
/// fmha).
[[nodiscard]] KernelClass classify_kernel(const std::string& name);

/// The readable part of a kernel's name: no template arguments, no parameters, at most 96 characters.
[[nodiscard]] std::string short_kernel_name(const std::string& name);

}  // namespace lightrail
