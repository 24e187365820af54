#pragma once
#include <cstdint>
#include <string>

namespace lightrail {

/// What <fabric kind="dragonfly-plus"> says; 0: to be chosen.
struct DragonflySpec {
  std::uint32_t groups = 0;
  std::uint32_t leaves = 0, spines = 0;  ///< of a group
  std::uint32_t nics_per_leaf = 0;
  std::uint32_t global_links = 0;  ///< of a spine
};

/// The numbers of a dragonfly+ network, all known. A leaf has `nics_per_leaf` ports down and one link to each
/// spine of its group; a spine has one link to each leaf and `global_links` to spines of other groups, so
/// that each two groups have the same number of links.
struct DragonflyShape : DragonflySpec {
  /// One end of a global link: the `port`-th global link of a spine.
  struct End {
    std::uint32_t group = 0, spine = 0, port = 0;
    bool operator==(const End&) const = default;
  };
  [[nodiscard]] std::uint32_t nics_per_group() const { return leaves * nics_per_leaf; }
  /// Global links between two groups.
  [[nodiscard]] std::uint32_t links_between() const {
    return groups > 1 ? spines * global_links / (groups - 1) : 0;
  }
  /// The other end. Global link k of a group (spine k / global_links) leads to the group k mod (groups - 1)
  /// places after the next one, so that a spine's links lead to as many groups as they can.
  [[nodiscard]] End far_end(const End& near) const;
};

/// Fills in what was not asked for: half of a switch's ports down and half up, as many global links as fit,
/// as few groups as hold `nics`. Returns what is wrong, with the numbers; "" when the shape is valid.
[[nodiscard]] std::string shape_dragonfly(const DragonflySpec& asked, std::uint32_t radix, std::uint32_t nics,
                                          DragonflyShape& shape);

}  // namespace lightrail
