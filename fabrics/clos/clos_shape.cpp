#include "fabrics/clos/clos_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace lightrail {

namespace {

constexpr std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) {
  return (a + b - 1) / b;
}

/// The smallest divisor of `n` that is at least `least`; 0: none.
std::uint32_t divisor_at_least(std::uint32_t n, std::uint32_t least) {
  for (std::uint32_t d = std::max(least, 1u); d <= n; ++d)
    if (n % d == 0) return d;
  return 0;
}

std::string shape_leaves(const ClosRequest& request, ClosShape& shape) {
  shape.down =
      request.nics_per_leaf ? request.nics_per_leaf : default_down(request.radix, request.oversubscription);
  shape.up = uplinks_for(shape.down, request.oversubscription);
  if (shape.down == 0 || shape.down + shape.up > request.radix)
    return fmt::format(
        "a leaf of {} NICs and {} uplinks (oversubscription {:g}) needs {} ports, the switch has {}",
        shape.down, shape.up, request.oversubscription, shape.down + shape.up, request.radix);
  return "";
}

/// More uplinks where that needs fewer spines, or where the spines that are asked for share no other number.
void round_uplinks(const ClosRequest& request, std::uint32_t leaves, std::uint32_t limit, ClosShape& shape) {
  const std::uint32_t spines = request.spines ? request.spines : ceil_div(leaves * shape.up, limit);
  const std::uint32_t up = ceil_div(shape.up, spines) * spines;
  const bool is_fitting = shape.down + up <= request.radix && leaves * (up / spines) <= limit;
  if (is_fitting && (request.spines || is_ratio_kept(shape.down, up, request.oversubscription)))
    shape.up = up;
}

/// Spines that join `leaves` leaves, each with at most `limit` ports down.
std::string shape_spines(const ClosRequest& request, std::uint32_t leaves, std::uint32_t limit,
                         ClosShape& shape) {
  if (request.may_round_uplinks) round_uplinks(request, leaves, limit, shape);
  shape.spines =
      request.spines ? request.spines : divisor_at_least(shape.up, ceil_div(leaves * shape.up, limit));
  if (shape.spines == 0 || shape.up % shape.spines != 0) {
    if (request.spines)
      return fmt::format("{} uplinks of a leaf do not divide among {} spines", shape.up, request.spines);
    return fmt::format(
        "{} leaves are more than a spine's {} ports down can join; use tiers=\"3\", or more NICs a leaf",
        leaves, limit);
  }
  shape.leaf_links = shape.up / shape.spines;
  if (leaves * shape.leaf_links > limit)
    return fmt::format(
        "{} leaves with {} links to each of {} spines need {} ports down of a spine, which has {}", leaves,
        shape.leaf_links, shape.spines, leaves * shape.leaf_links, limit);
  return "";
}

std::string shape_cores(const ClosRequest& request, std::uint32_t groups, ClosShape& shape) {
  shape.spine_up = shape.leaves_per_group * shape.leaf_links;  // at most half of the radix
  if (request.cores && request.cores % shape.spines != 0)
    return fmt::format("{} cores do not divide among {} planes, one for each spine of a group", request.cores,
                       shape.spines);
  shape.cores_per_plane =
      request.cores ? request.cores / shape.spines
                    : divisor_at_least(shape.spine_up, ceil_div(groups * shape.spine_up, request.radix));
  if (shape.cores_per_plane == 0)
    return fmt::format("{} groups are more than a core's {} ports can join", groups, request.radix);
  if (shape.spine_up % shape.cores_per_plane != 0)
    return fmt::format("{} uplinks of a spine do not divide among {} cores of its plane", shape.spine_up,
                       shape.cores_per_plane);
  shape.spine_links = shape.spine_up / shape.cores_per_plane;
  if (groups * shape.spine_links > request.radix)
    return fmt::format("{} groups with {} links to each core need {} ports of a core, which has {}", groups,
                       shape.spine_links, groups * shape.spine_links, request.radix);
  return "";
}

std::vector<std::string> problem(std::string text) {
  return text.empty() ? std::vector<std::string>{} : std::vector<std::string>{std::move(text)};
}

}  // namespace

std::uint32_t uplinks_for(std::uint32_t down, double oversubscription) {
  return static_cast<std::uint32_t>(std::ceil(down / oversubscription - 1e-9));
}

bool is_ratio_kept(std::uint32_t down, std::uint32_t up, double oversubscription, double tolerance) {
  return down >= up * oversubscription * (1 - tolerance) - 1e-9;
}

std::uint32_t default_down(std::uint32_t radix, double oversubscription) {
  std::uint32_t down = radix;
  while (down > 0 && down + uplinks_for(down, oversubscription) > radix) --down;
  return down;
}

std::vector<std::string> shape_clos(const ClosRequest& request, const std::vector<std::uint32_t>& groups,
                                    ClosShape& shape) {
  const std::uint32_t leaves = std::accumulate(groups.begin(), groups.end(), 0u);
  shape = {};
  shape.groups = static_cast<std::uint32_t>(groups.size());
  shape.leaves_per_group = *std::max_element(groups.begin(), groups.end());
  if (request.tiers == 1) {
    shape.down = request.nics_per_leaf;
    if (shape.down > request.radix)
      return problem(fmt::format("{} NICs do not fit on one switch of {} ports", shape.down, request.radix));
    return {};
  }
  if (std::string text = shape_leaves(request, shape); !text.empty()) return problem(text);
  if (leaves == 1) {
    shape.up = 0;
    return {};
  }
  if (request.tiers == 2) return problem(shape_spines(request, leaves, request.radix, shape));
  // Full groups keep their wiring when only part of a group is there, so that a small system is a part of the
  // large one.
  shape.leaves_per_group = request.leaves_per_group;
  if (std::string text = shape_spines(request, shape.leaves_per_group, request.radix / 2, shape);
      !text.empty())
    return problem(text);
  return problem(groups.size() > 1 ? shape_cores(request, shape.groups, shape) : "");
}

}  // namespace lightrail
