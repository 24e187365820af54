#pragma once
#include "engine/model/model.hpp"
#include "network/circuits/rails.hpp"
#include "network/circuits/regions.hpp"

namespace lightrail {

/// Whether some of what joins servers are circuits that controllers change.
[[nodiscard]] inline bool has_circuits(const Model& model) {
  return model.resource<Regions>() || model.resource<Rails>();
}

}  // namespace lightrail
