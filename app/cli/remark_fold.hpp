#pragma once
#include "engine/model/model.hpp"

namespace lightrail {

/// Remarks on where a part of the cluster cannot stand for all of it (FoldFactor, WholeFabric): its fabric is
/// another one, routes that are fixed, loads of experts that are the same in every replica.
[[nodiscard]] ModelPart remark_fold(const Model& model);

}  // namespace lightrail
