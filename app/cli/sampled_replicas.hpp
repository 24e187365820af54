#pragma once
#include "engine/model/model.hpp"

namespace lightrail {

/// The ReplicaSample of a model whose replicas stand for others (FoldFactor), be they alike or differ by what
/// is drawn for each GPU (jitter, spread, noise), and of one by messages where nothing is drawn. Nothing with
/// GPUs that are slow by name, which say nothing of those left out, by formula, and of several jobs.
[[nodiscard]] ModelPart sampled_replicas(const Model& model);

}  // namespace lightrail
