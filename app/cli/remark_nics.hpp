#pragma once
#include "engine/model/model.hpp"

namespace lightrail {

/// NICs whose ports are much faster than the links they are on: what was perhaps not meant. One remark for
/// each pair of rates.
[[nodiscard]] ModelPart remark_nics(const Model& model);

}  // namespace lightrail
