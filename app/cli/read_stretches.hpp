#pragma once
#include <cstdint>
#include <string>

#include "app/cli/run_detail.hpp"
#include "engine/base/error.hpp"
#include "engine/model/describe.hpp"
#include "engine/model/model.hpp"
#include "engine/scenario/element.hpp"

namespace lightrail {

/// Attributes of <stretch>.
struct StretchSpec {
  SimTime from{0}, to = time_never;
  std::uint32_t grain = 1;         ///< packets in a train
  std::uint32_t nvlink_grain = 0;  ///< the same on NVLink; 0: as `grain`
  std::string servers = "all";     ///< whose trains these are
};
[[nodiscard]] Describe<StretchSpec> stretch_parameters();

/// The TrainStretches of a <run> (null: there is none) with <stretch>, with their remarks; an error for each
/// that changes nothing, overlaps another, or that `detail` has no use for.
[[nodiscard]] ModelPart read_stretches(Detail detail, const Element* run, const Model& model,
                                       ErrorList& errors);

}  // namespace lightrail
