#pragma once
#include "engine/model/context.hpp"

namespace lightrail {

/// The ports of a GPU, by what they are joined to.
struct GpuPort {
  static constexpr PortIndex nvlink = 0, nic = 1, host = 2, control = 3, scheduler = 4;
};

}  // namespace lightrail
