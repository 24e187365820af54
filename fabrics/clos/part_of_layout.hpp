#pragma once
#include <string>

#include "fabrics/clos/fabric_layout.hpp"

namespace lightrail {

/// How the fabric of a part of a cluster is another one than that of the whole.
struct LayoutDifference {
  std::string tiers;   ///< "1 tier of the whole's 2"; "": as many
  std::string leaves;  ///< "4 leaves of 32 NICs and 16 uplinks, the whole 5 of 40 and 20, 8 of 39 and 20";
                       ///< "": NICs are on leaves of the same sizes, but for a twentieth of them
  bool is_oversubscribed = false;  ///< some leaf of the two has more NICs than uplinks (ratio_tolerance)
};

/// `part` and `whole` are of one <fabric>.
[[nodiscard]] LayoutDifference difference_of(const FabricLayout& part, const FabricLayout& whole);

}  // namespace lightrail
