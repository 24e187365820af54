#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "fabrics/clos/clos_shape.hpp"
#include "fabrics/fabric_build.hpp"

namespace lightrail {

/// Which NIC goes to which leaf: leaf l takes nics[leaf_begin[l]] ... nics[leaf_begin[l + 1]] on ports 0, 1,
/// ..., and group g has the leaves group_begin[g] ... group_begin[g + 1]. Lids follow this order, so that
/// every leaf and every group is one interval of lids.
struct LeafPlan {
  std::vector<ComponentId> nics;
  std::vector<std::uint32_t> leaf_begin{0};
  std::vector<std::uint32_t> group_begin{0};
  std::uint32_t pods = 0;  ///< with a leaf for each rail; 0: leaves belong to no pod
  /// Leaves 2k and 2k + 1 have the same NICs, the first one their port 0, the second one their port 1.
  bool has_twins = false;

  [[nodiscard]] std::uint32_t leaf_count() const { return static_cast<std::uint32_t>(leaf_begin.size()) - 1; }
  [[nodiscard]] std::uint32_t group_count() const {
    return static_cast<std::uint32_t>(group_begin.size()) - 1;
  }
  /// Number of NICs of each leaf.
  [[nodiscard]] std::vector<std::uint32_t> nics_by_leaf() const;
  /// Number of leaves of each group.
  [[nodiscard]] std::vector<std::uint32_t> leaves_by_group() const;
  /// The same with two leaves in the place of each (dual ToR).
  [[nodiscard]] LeafPlan with_twins() const;
  /// NICs of all leaves.
  [[nodiscard]] std::uint32_t nic_count() const {
    return static_cast<std::uint32_t>(nics.size()) / (has_twins ? 2 : 1);
  }
  /// Lids of the NICs of a leaf, counted from those of the first one: [first, second).
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> lids_of_leaf(std::uint32_t leaf) const;
  /// Ends the leaf that takes the NICs added since the last one; nothing added, no leaf.
  void end_leaf();
  /// Ends the group that takes the leaves ended since the last one.
  void end_group();
};

/// The cables of a fabric: NIC - leaf, leaf - spine, spine - core.
struct ClosCables {
  std::uint32_t host = 0, trunk = 0, core = 0;
};

/// Builds the switches (leaves, then spines group by group, then cores plane by plane), their cables and
/// routes, and gives the NICs their lids, from counter.next_lid on, which the caller moves. `nic_port`: of
/// the NICs, which is joined; with twins 0, and the other one to the twin.
void build_clos(const LeafPlan& plan, const ClosShape& shape, const Part& part, const ClosCables& cables,
                FabricBuild& fabric, std::uint32_t nic_port = 0);

}  // namespace lightrail
