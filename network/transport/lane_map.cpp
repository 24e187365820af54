#include "network/transport/lane_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace lightrail {

LaneMap LaneMap::in_turns(std::uint32_t lanes) {
  LaneMap map;
  for (std::uint32_t level = 0; level < max_levels; ++level)
    map.of[level] = static_cast<std::uint8_t>(level % lanes);
  map.count = max_levels;
  return map;
}

std::string parse_lane_map(const std::string& text, LaneMap& map) {
  map = {};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::uint32_t lane = 0;
    const auto [stop, error] = std::from_chars(text.data() + begin, text.data() + end, lane);
    if (error != std::errc{} || stop != text.data() + end || lane >= max_lanes)
      return fmt::format("'{}' is no list of lanes 0 ... {}, a level each (0,0,1)", text, max_lanes - 1);
    if (map.count == max_levels)
      return fmt::format("'{}' has more than the {} service levels there are", text, max_levels);
    map.of[map.count++] = static_cast<std::uint8_t>(lane);
    begin = end + 1;
  }
  return "";
}

void read_lane_map(const Element& element, LaneMap& map, ErrorList& errors) {
  const Attribute* at = element.find("sl-to-vl");
  if (!at) return;
  if (const std::string problem = parse_lane_map(at->value, map); !problem.empty())
    errors.add({at->file, at->line, fmt::format("<{}> attribute 'sl-to-vl': {}", element.name, problem)});
}

}  // namespace lightrail
