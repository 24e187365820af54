#pragma once
#include "engine/sync/run_parts.hpp"

namespace lightrail {

/// One priority queue over all events of all components, in the one total order. Slow and obvious: the oracle
/// that the window engine is tested against.
[[nodiscard]] EngineOutcome run_reference_engine(const RunParts& parts);

}  // namespace lightrail
