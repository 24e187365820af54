#pragma once
#include <string>
#include <utility>
#include <vector>

#include "fabrics/clos/clos.hpp"

namespace lightrail {

/// Reads <fabric> and joins the NICs as it says. Mistakes go to the builder's errors; then nothing is built.
void build_fabric(const Element& fabric, const std::vector<NicPlace>& all_nics, SystemBuilder& builder,
                  FabricCounter& counter, RoutingTables& routing);

/// True when `fabric` is absent or of kind "none".
bool is_no_fabric(const Element* fabric);

/// Parameters of the element <fabric>.
std::vector<ParameterDoc> fabric_documentation();

}  // namespace lightrail
