#pragma once
#include <cstdint>

#include "engine/model/context.hpp"

namespace lightrail {

/// The ports of a GPU, by what they are joined to; NICs after the first one have the ports behind the others,
/// and further planes of an NVSwitch those behind them.
struct GpuPort {
  static constexpr PortIndex nvlink = 0, nic = 1, host = 2, control = 3, scheduler = 4;
  static constexpr PortIndex second_nic = 5;

  /// Of the GPU's NIC number `nic`.
  [[nodiscard]] static constexpr PortIndex of_nic(std::uint32_t nic) {
    return nic == 0 ? GpuPort::nic : static_cast<PortIndex>(second_nic + nic - 1);
  }
};

}  // namespace lightrail
