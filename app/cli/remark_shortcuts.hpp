#pragma once
#include "engine/model/model.hpp"

namespace lightrail {

/// Remarks on what the scenario lets the run do coarser than packet by packet and step by step: trains of
/// several packets, rings in one exchange, trains given ahead; and where the fabric is not as it was asked
/// for.
[[nodiscard]] ModelPart remark_shortcuts(const Model& model);

}  // namespace lightrail
