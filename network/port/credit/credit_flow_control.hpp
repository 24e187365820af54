#pragma once
#include "network/port/flow_control.hpp"

namespace lightrail {

/// Credits per virtual lane, as InfiniBand and NVLink have them: a sender starts with the bytes of the far
/// buffer, a train takes as many, and the receiver gives them back (Credit) when the train has left.
[[nodiscard]] const FlowControlKind& credit_flow_control();

}  // namespace lightrail
