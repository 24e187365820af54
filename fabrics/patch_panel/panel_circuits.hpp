#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "components/controller/circuit_assignment.hpp"
#include "engine/scenario/element.hpp"

namespace lightrail {

struct PanelSpec {
  std::string strides;  ///< servers a and a + stride are joined; empty: as far apart as the NICs allow
  std::uint32_t demand_servers = 0;  ///< circuits by the demand of groups of so many servers; 0: by strides
};

/// Circuits of a patch panel that joins `members` servers of `per_server` NICs: by strides, or what TopoOpt's
/// one-shot search gives groups that exchange among themselves. Nothing, and an error, where NICs do not
/// suffice.
[[nodiscard]] std::optional<CircuitCounts> panel_circuits(const Element& fabric, const PanelSpec& spec,
                                                          std::uint32_t members, std::uint32_t per_server,
                                                          ErrorList& errors);

}  // namespace lightrail
