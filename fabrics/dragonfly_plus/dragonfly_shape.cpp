#include "fabrics/dragonfly_plus/dragonfly_shape.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lightrail {

DragonflyShape::End DragonflyShape::far_end(const End& near) const {
  const std::uint32_t others = groups - 1, k = near.spine * global_links + near.port;
  const std::uint32_t offset = k % others, round = k / others;
  const std::uint32_t back = round * others + (others - 1 - offset);
  return {(near.group + 1 + offset) % groups, back / global_links, back % global_links};
}

std::string shape_dragonfly(const DragonflySpec& asked, std::uint32_t radix, std::uint32_t nics,
                            DragonflyShape& shape) {
  static_cast<DragonflySpec&>(shape) = asked;
  if (!shape.spines) shape.spines = std::max(radix / 2, 1u);
  if (!shape.leaves) shape.leaves = std::max(radix / 2, 1u);
  if (!shape.nics_per_leaf) shape.nics_per_leaf = radix > shape.spines ? radix - shape.spines : 1;
  if (shape.nics_per_leaf + shape.spines > radix)
    return fmt::format("a leaf of {} NICs and {} spines needs {} ports, the switch has {}",
                       shape.nics_per_leaf, shape.spines, shape.nics_per_leaf + shape.spines, radix);
  const std::uint32_t needed = (nics + shape.nics_per_group() - 1) / shape.nics_per_group();
  if (!shape.groups) shape.groups = needed;
  if (shape.groups != needed)
    return fmt::format("{} NICs fill {} groups of {} leaves with {} NICs each, not {}", nics, needed,
                       shape.leaves, shape.nics_per_leaf, shape.groups);
  if (shape.groups == 1) {
    if (asked.global_links) return "one group has no global links";
    return shape.leaves > radix ? fmt::format("a spine of {} leaves needs {} ports, the switch has {}",
                                              shape.leaves, shape.leaves, radix)
                                : "";
  }
  const std::uint32_t others = shape.groups - 1, most = radix > shape.leaves ? radix - shape.leaves : 0;
  const auto is_even = [&](std::uint32_t links) { return shape.spines * links % others == 0; };
  if (!shape.global_links) {
    shape.global_links = most;
    while (shape.global_links > 0 && !is_even(shape.global_links)) --shape.global_links;
    if (shape.global_links == 0)
      return fmt::format(
          "{} spines with up to {} global links each cannot join a group evenly with {} others", shape.spines,
          most, others);
  }
  if (shape.global_links > most)
    return fmt::format("a spine of {} leaves and {} global links needs {} ports, the switch has {}",
                       shape.leaves, shape.global_links, shape.leaves + shape.global_links, radix);
  if (!is_even(shape.global_links))
    return fmt::format(
        "{} spines with {} global links each do not join a group evenly with {} others ({} links)",
        shape.spines, shape.global_links, others, shape.spines * shape.global_links);
  return "";
}

}  // namespace lightrail
