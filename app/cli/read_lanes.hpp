#pragma once
#include <cstdint>
#include <string>

#include "engine/base/error.hpp"
#include "engine/model/describe.hpp"
#include "engine/model/model.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// <lanes>: what goes on which virtual lane of the fabric.
struct LanesSpec {
  std::string lane_map;  ///< "0,0,1": lanes by service level; "": level k is on lane k, in turns
};

/// <level> of <lanes>: what goes on a virtual lane, or what is of a service level.
struct LevelSpec {
  std::string of;            ///< "control", "storage", "job" or a communicator of the job ("ep")
  std::string gpus = "all";  ///< of a job: its own
  std::uint32_t lane = 0;    ///< < max_lanes
  std::uint32_t level = 0;   ///< service level < max_levels
  std::uint32_t weight = 1;  ///< of the lane [1]
};

/// <lane> of <lanes>: the weight of a lane, where levels have lanes by tables.
struct LaneSpec {
  std::uint32_t number = 0;  ///< < max_lanes
  std::uint32_t weight = 1;  ///< [1]
};

[[nodiscard]] Describe<LanesSpec> lanes_parameters();
[[nodiscard]] Describe<LevelSpec> level_parameters();
[[nodiscard]] Describe<LaneSpec> lane_parameters();

/// Reads <lanes>, where there is one: ServiceLevels, LaneMaps where levels are no lanes, LaneWeights where a
/// weight is given, and their parameters. `model` has the system and the job's communicators. Mistakes go to
/// `errors`: a name that the job does not have or that stands twice, a lane that some NIC or switch of the
/// fabric does not have, a level without a lane, a table that nothing uses.
[[nodiscard]] ModelPart read_lanes(const Scenario& scenario, const Model& model, ErrorList& errors);

}  // namespace lightrail
