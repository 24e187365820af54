#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/network_cost.hpp"
#include "engine/scenario/scenario.hpp"
#include "fabrics/clos/fabric_layout.hpp"
#include "fabrics/fabric_registry.hpp"

namespace lightrail {

/// What the scenario's <fabric>s and <prices> make of a cluster of which the scenario's is a part. A Model
/// resource.
struct WholeFabric {
  std::vector<FabricLayout> layouts;
  std::optional<NetworkCost> cost;  ///< only scenarios with <prices> have one
  std::string problem;              ///< why the whole is not built; "": it is
};

/// NICs of a whole that is not built any more: it would take a gigabyte and half a minute.
inline constexpr std::int64_t most_whole_nics = 500'000;

/// Builds the system with `times` the servers of every <cluster>, all else as the scenario has it, and keeps
/// what is said of it above. `nics`: of the part.
[[nodiscard]] std::shared_ptr<const WholeFabric> build_whole_fabric(const Scenario& part, std::uint32_t times,
                                                                    std::int64_t nics,
                                                                    const KindRegistry& kinds,
                                                                    const FabricRegistry& fabrics);

}  // namespace lightrail
