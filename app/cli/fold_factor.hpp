#pragma once
#include "engine/model/model.hpp"

namespace lightrail {

/// The FoldFactor of a model whose job is folded.
[[nodiscard]] ModelPart fold_factor(const Model& model);

}  // namespace lightrail
