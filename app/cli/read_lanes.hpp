#pragma once
#include <cstdint>
#include <string>

#include "engine/base/error.hpp"
#include "engine/model/describe.hpp"
#include "engine/model/model.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// <level> of <lanes>: what goes on a virtual lane of the fabric.
struct LevelSpec {
  std::string of;            ///< "control", "storage" or a communicator of the job ("ep")
  std::uint32_t lane = 0;    ///< < max_lanes
  std::uint32_t weight = 1;  ///< of the lane [1]
};

[[nodiscard]] Describe<LevelSpec> level_parameters();

/// Reads <lanes>, where there is one: ServiceLevels, LaneWeights where a weight is given, and their
/// parameters. `model` has the system and the job's communicators. Mistakes go to `errors`: a name that the
/// job does not have or that stands twice, a lane that some NIC or switch of the fabric does not have.
[[nodiscard]] ModelPart read_lanes(const Scenario& scenario, const Model& model, ErrorList& errors);

}  // namespace lightrail
