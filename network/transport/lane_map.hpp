#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/scenario/element.hpp"
#include "network/wire/frame.hpp"

namespace lightrail {

/// Service levels of InfiniBand: four bits of a packet's header.
inline constexpr std::uint32_t max_levels = 16;

/// On which virtual lane a device sends what is of a service level: its SL-to-VL table, the same for all of
/// its ports.
struct LaneMap {
  static constexpr std::uint8_t none = 0xff;
  std::array<std::uint8_t, max_levels> of = no_lanes();  ///< by level; `none`: the level has no lane
  std::uint32_t count = 0;                               ///< levels that have one; 0: no table is given

  [[nodiscard]] static constexpr std::array<std::uint8_t, max_levels> no_lanes() {
    std::array<std::uint8_t, max_levels> lanes{};
    lanes.fill(none);
    return lanes;
  }
  /// Level k on lane k of `lanes` (> 0), those above on the first ones again.
  [[nodiscard]] static LaneMap in_turns(std::uint32_t lanes);
};

/// Reads "0,0,1": the lanes of levels 0, 1, 2 ...; those behind the end have none. "" or what is wrong.
[[nodiscard]] std::string parse_lane_map(const std::string& text, LaneMap& map);

/// Reads an element's attribute sl-to-vl into `map`, where it has one.
void read_lane_map(const Element& element, LaneMap& map, ErrorList& errors);

/// A Spec whose device puts trains of service levels on lanes.
class LaneMapSpec {
 public:
  [[nodiscard]] virtual const LaneMap& lane_map() const = 0;

 protected:
  ~LaneMapSpec() = default;
};

/// Model resource: the table of every Spec that has lanes, where levels and lanes are two numbers.
class LaneMaps {
 public:
  /// `by_spec`: by index into Model::specs.
  explicit LaneMaps(std::vector<LaneMap> by_spec) : by_spec_(std::move(by_spec)) {}
  [[nodiscard]] const LaneMap& of(std::uint32_t spec) const { return by_spec_[spec]; }

 private:
  std::vector<LaneMap> by_spec_;
};

}  // namespace lightrail
