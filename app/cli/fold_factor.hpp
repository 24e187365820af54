#pragma once
#include "app/registry/registry.hpp"
#include "engine/model/model.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// The FoldFactor of a model whose job is folded, and the WholeFabric of the cluster that it is a part of.
[[nodiscard]] ModelPart fold_factor(const Scenario& scenario, const Registry& registry, const Model& model);

}  // namespace lightrail
