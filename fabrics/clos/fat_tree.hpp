#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "fabrics/clos/clos_fabric.hpp"

namespace lightrail {

struct FatTreeSpec : ClosSpec {
  std::uint32_t nics_per_leaf = 0;
  std::uint32_t leaves_per_group = 0;  ///< three tiers
};

/// The parameters of a fat tree; XSpec derives from FatTreeSpec.
template <class XSpec>
[[nodiscard]] Describe<XSpec> fat_tree_table() {
  const auto of = []<class T>(T FatTreeSpec::*member) -> T XSpec::* { return member; };
  Describe<XSpec> table = clos_table<XSpec>(2);
  table
      .field("nics-per-leaf", of(&FatTreeSpec::nics_per_leaf), "NICs on one leaf (default: as many as fit)",
             1u, max_switches)
      .field("leaves-per-group", of(&FatTreeSpec::leaves_per_group),
             "three tiers: leaves that share their spines", 1u, max_switches);
  return table;
}

/// Reads the switch and the links of a fat tree and refuses attributes without effect. Null on a mistake in
/// these; others may be in the errors.
[[nodiscard]] std::optional<ClosParts> read_fat_tree(const FabricBuild& fabric, const FatTreeSpec& spec);

/// Joins `nics` by a fat tree.
void build_fat_tree(FabricBuild& fabric, const FatTreeSpec& spec, const ClosParts& parts,
                    const std::vector<NicPlace>& nics);

}  // namespace lightrail
