#pragma once
#include "engine/sync/run_parts.hpp"

namespace lightrail {

/// Conservative windows over all ranks. A window starts at the first event anywhere and is no longer than the
/// smallest latency of a link between ranks, so nothing sent in it can land in it on another rank; inside it
/// each rank goes through slices no longer than the smallest latency of any link, so nothing sent in a slice
/// can land in it but a component's events to itself. Components of a slice are therefore independent of each
/// other.
[[nodiscard]] EngineOutcome run_window_engine(const RunParts& parts);

}  // namespace lightrail
