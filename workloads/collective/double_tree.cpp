#include "workloads/collective/double_tree.hpp"

#include "engine/base/error.hpp"

namespace lightrail {
namespace {

constexpr std::uint32_t none = TreePlace::none;

/// Node `r` of height h (its lowest set bit is 1 << h) hangs below the node that differs in the two bits h, h
/// + 1:
/// ...01 and ...11 below ...10; below ...00 where that is outside. Node 0 is the root.
std::uint32_t parent_of(std::uint32_t n, std::uint32_t r) {
  if (r == 0) return none;
  const std::uint32_t bit = r & (~r + 1);
  const std::uint32_t up = (r ^ bit) | bit << 1;
  return up < n ? up : r ^ bit;
}

TreePlace bit_tree(std::uint32_t n, std::uint32_t r) {
  TreePlace place;
  place.parent = parent_of(n, r);
  // Below r are r - bit / 2 and the first of r + bit / 2, r + bit / 4, ... that exists; below 0 the highest
  // power of 2.
  std::uint32_t bit = r & (~r + 1);
  if (r == 0)
    for (bit = 1; bit < n; bit <<= 1) continue;
  if (r != 0 && bit > 1) place.children.push_back(r - bit / 2);
  for (std::uint32_t step = bit / 2; step > 0; step /= 2)
    if (r + step < n && parent_of(n, r + step) == r) {
      place.children.push_back(r + step);
      break;
    }
  return place;
}

}  // namespace

TreePlace double_tree(std::uint32_t n, std::uint32_t node, std::uint32_t tree) {
  LIGHTRAIL_EXPECT(node < n && tree < 2);
  if (tree == 0) return bit_tree(n, node);
  auto there = [&](std::uint32_t r) { return n % 2 == 0 ? n - 1 - r : (r + n - 1) % n; };
  auto back = [&](std::uint32_t r) { return n % 2 == 0 ? n - 1 - r : (r + 1) % n; };
  TreePlace place = bit_tree(n, there(node));
  if (place.parent != none) place.parent = back(place.parent);
  for (std::uint32_t& child : place.children) child = back(child);
  return place;
}

}  // namespace lightrail
