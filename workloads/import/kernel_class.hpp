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

/// By the kernel's name: the libraries' naming habits (cutlass, xmma, cublas, s16816gemm, nvjet; flash, fmha).
KernelClass classify_kernel(const std::string& name);

/// The readable part of a kernel's name: no template arguments, no parameters, at most 96 characters.
std::string short_kernel_name(const std::string& name);

/// What a captured duration is multiplied with to replay it on another GPU, by class.
struct KernelScale {
  double gemm = 1, attention = 1, memory_bound = 1, host = 1;
  double of(KernelClass kernel_class) const;
};

/// `duration` x `factor`, rounded to the nearest picosecond.
std::int64_t scale_duration(std::int64_t duration_ps, double factor);

}  // namespace lightrail
