#pragma once
#include "network/port/flow_control.hpp"

namespace lightrail {

/// Links whose receiver takes whatever comes: a device without input buffers (BufferedSpec), as a GPU.
[[nodiscard]] const FlowControlKind& no_flow_control();

}  // namespace lightrail
