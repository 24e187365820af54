#pragma once
#include "engine/model/model.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// Remarks on the figures of <nccl> that exchanges of experts' tokens take since their GPUs have none of
/// their own (<gpu><collectives>), but for those that the scenario itself gives: the catalogue's were
/// measured on another GPU kind.
[[nodiscard]] ModelPart remark_exchanges(const Scenario& scenario, const Model& model);

}  // namespace lightrail
