#include "fabrics/clos/part_of_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/counted.hpp"

namespace lightrail {
namespace {

/// Of the NICs that the leaves of a fabric may have otherwise than the whole's.
constexpr double alike = 0.05;

/// NICs and uplinks of a leaf, and how many leaves have so many.
using Leaves = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t, std::greater<>>;

Leaves leaves_of(const FabricLayout& layout) {
  Leaves leaves;
  for (const FabricLayout::Network& network : layout.networks)
    for (const std::uint32_t nics : network.nics) ++leaves[{nics, network.shape.up}];
  return leaves;
}

double nics_on(const Leaves& leaves) {
  double sum = 0;
  for (const auto& [leaf, count] : leaves) sum += static_cast<double>(leaf.first) * count;
  return sum;
}

/// Share of NICs that would have to go to a leaf of another size.
double distance(const Leaves& part, const Leaves& whole) {
  const double in_part = nics_on(part), in_whole = nics_on(whole);
  const auto share = [](const Leaves& leaves, const Leaves::key_type& leaf, double all) {
    const auto it = leaves.find(leaf);
    return it == leaves.end() ? 0 : static_cast<double>(leaf.first) * it->second / all;
  };
  double moved = 0;
  for (const auto& [leaf, count] : part)
    moved += std::max(share(part, leaf, in_part) - share(whole, leaf, in_whole), 0.0);
  return moved;
}

bool has_oversubscribed(const Leaves& leaves) {
  return std::any_of(leaves.begin(), leaves.end(), [](const auto& leaf) {
    const auto [nics, up] = leaf.first;
    return up > 0 && nics > up * (1 + ratio_tolerance);
  });
}

std::string text_of(const Leaves& leaves, bool is_named) {
  constexpr std::size_t most = 3;
  std::vector<std::string> parts;
  for (const auto& [leaf, count] : leaves) {
    if (parts.size() == most) break;
    const auto [nics, up] = leaf;
    const bool has_units = is_named && parts.empty();
    std::string text = has_units
                           ? fmt::format("{} of {}", counted(count, "leaf", "leaves"), counted(nics, "NIC"))
                           : fmt::format("{} of {}", count, nics);
    if (up > 0) text += " and " + (has_units ? counted(up, "uplink") : std::to_string(up));
    parts.push_back(std::move(text));
  }
  return fmt::format("{}{}", fmt::join(parts, ", "), leaves.size() > most ? " ..." : "");
}

}  // namespace

LayoutDifference difference_of(const FabricLayout& part, const FabricLayout& whole) {
  LayoutDifference found;
  const std::uint32_t here = built_tiers(part), there = built_tiers(whole);
  if (here != there) found.tiers = fmt::format("{} of the whole's {}", counted(here, "tier"), there);
  const Leaves of_part = leaves_of(part), of_whole = leaves_of(whole);
  if (distance(of_part, of_whole) > alike)
    found.leaves = fmt::format("{}, the whole {}", text_of(of_part, true), text_of(of_whole, false));
  found.is_oversubscribed = has_oversubscribed(of_part) || has_oversubscribed(of_whole);
  return found;
}

}  // namespace lightrail
