#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.hpp"

namespace lightrail {

/// What the user asks of a folded Clos network of equal switches; 0: to be chosen.
struct ClosRequest {
  std::uint32_t radix = 0;
  std::uint32_t tiers = 2;        ///< 1: leaves alone
  double oversubscription = 1.0;  ///< down ports per uplink of a leaf
  std::uint32_t nics_per_leaf = 0;
  std::uint32_t leaves_per_group = 0;  ///< three tiers: leaves that share their spines
  std::uint32_t spines = 0;            ///< two tiers: all; three tiers: of each group
  std::uint32_t cores = 0;             ///< three tiers: all
  bool may_round_uplinks = false;      ///< more uplinks than asked for, where they divide better among spines
};

/// The numbers of a folded Clos network. A leaf has `down` ports to NICs and `up` uplinks, `leaf_links` to
/// each of the `spines` of its group; a spine has `spine_up` uplinks, `spine_links` to each of the
/// `cores_per_plane` cores of its plane (spine s of every group is in plane s).
struct ClosShape {
  std::uint32_t down = 0, up = 0;
  std::uint32_t leaves_per_group = 0, groups = 0;
  std::uint32_t spines = 0, leaf_links = 0;
  std::uint32_t spine_up = 0, cores_per_plane = 0, spine_links = 0;
  bool operator==(const ClosShape&) const = default;
};

/// By how much NICs for each uplink may be fewer than asked for before spines of other sizes are looked for,
/// and before it is worth a word.
inline constexpr double ratio_tolerance = 0.1, told_ratio_tolerance = 0.05;

/// Largest down and up port counts of a leaf: down + ceil(down / oversubscription) <= radix.
[[nodiscard]] std::uint32_t default_down(std::uint32_t radix, double oversubscription);
/// Uplinks of a leaf with `down` ports to NICs: ceil(down / oversubscription).
[[nodiscard]] std::uint32_t uplinks_for(std::uint32_t down, double oversubscription);
/// Whether `up` uplinks for `down` NICs are as many as `oversubscription` asks for, within `tolerance`.
[[nodiscard]] bool is_ratio_kept(std::uint32_t down, std::uint32_t up, double oversubscription,
                                 double tolerance = ratio_tolerance);

/// Fills in what was not asked for with the fewest switches that fit, then checks every port count against
/// the radix. `groups` lists the leaves of each group (two tiers: one entry). What is wrong comes back as
/// texts with the numbers; the shape is valid only when there are none. A network of one leaf has no spines,
/// one of one group no cores.
[[nodiscard]] std::vector<std::string> shape_clos(const ClosRequest& request,
                                                  const std::vector<std::uint32_t>& groups, ClosShape& shape);

}  // namespace lightrail
