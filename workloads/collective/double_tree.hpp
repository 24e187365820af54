#pragma once
#include <cstdint>
#include <vector>

namespace lightrail {

/// Neighbours of one node in a tree over nodes 0 ... n - 1.
struct TreePlace {
  static constexpr std::uint32_t none = 0xffffffff;
  std::uint32_t parent = none;          ///< none: the root
  std::vector<std::uint32_t> children;  ///< two at most
};

/// The two trees over n nodes that NCCL sends half of the data on each (Sanders, Speck, Traeff, "Two-tree
/// algorithms for full bandwidth broadcast, reduction and scan", 2009). In tree 0 the lowest set bit of a
/// node's number is its height: odd nodes are leaves. Tree 1 is its mirror image (n even) or tree 0 shifted
/// by one (n odd), so that the leaves of one are inner nodes of the other. Depth about log2 n. `tree`: 0
/// or 1.
[[nodiscard]] TreePlace double_tree(std::uint32_t n, std::uint32_t node, std::uint32_t tree);

}  // namespace lightrail
