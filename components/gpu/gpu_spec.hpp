#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "components/gpu/compute/compute_model.hpp"
#include "engine/model/kind.hpp"
#include "network/port/device_traits.hpp"
#include "workloads/collective/nccl_device.hpp"

namespace lightrail {

/// <gpu>: memory and compute of one GPU. Its ports' rates come from the links.
struct GpuSpec final : Spec, NcclDeviceSpec, DeviceTraits {
  std::uint32_t sms = 0;
  std::uint32_t collective_sms = 0, point_sms = 0;
  double collective_memory = 0;
  Bytes memory{};
  BitRate memory_bandwidth{};
  Watts power{0}, memory_power{0}, communication_power{0}, idle_power{0};
  AttentionLibrary attention = AttentionLibrary::catalogue;
  Watts power_cap{0};              ///< 0: none below `power`
  double power_exponent = 1;       ///< of the clock, in what the GPU draws above idle
  std::optional<NcclDevice> nccl;  ///< child <collectives>
  ComputeSpec compute;  ///< children <gemm>, <attention>, <memory-kernel>; sms and bandwidth as above

  [[nodiscard]] DeviceRole role() const override { return DeviceRole::gpu; }
  [[nodiscard]] bool takes_batches() const override { return true; }
  [[nodiscard]] const NcclDevice* nccl_device() const override { return nccl ? &*nccl : nullptr; }
};

[[nodiscard]] Describe<GpuSpec> gpu_parameters();
[[nodiscard]] std::shared_ptr<const Spec> make_gpu_spec(const Element& element, ErrorList& errors);
[[nodiscard]] std::vector<ParameterValue> gpu_values(const GpuSpec& spec);

}  // namespace lightrail
