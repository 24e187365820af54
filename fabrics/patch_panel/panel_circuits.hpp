#pragma once
#include <optional>

#include "components/controller/circuit_assignment.hpp"
#include "engine/scenario/element.hpp"
#include "fabrics/fabric_spec.hpp"

namespace lightrail {

/// Circuits of a patch panel that joins `members` servers of `per_server` NICs: by strides, or what TopoOpt's
/// one-shot search gives groups that exchange among themselves. Nothing, and an error, where NICs do not
/// suffice.
std::optional<CircuitCounts> panel_circuits(const Element& fabric, const FabricSpec& spec,
                                            std::uint32_t members, std::uint32_t per_server,
                                            ErrorList& errors);

}  // namespace lightrail
