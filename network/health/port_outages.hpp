#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "engine/base/id.hpp"
#include "network/health/outage.hpp"
#include "network/health/port_change.hpp"

namespace lightrail {

/// When the ports of one optical switch are down, by port (PortChange::all_ports: the whole switch), in any
/// order.
using SwitchOutages = std::map<std::uint32_t, std::vector<Outage>>;
/// Of all optical switches.
using PortOutages = std::map<ComponentId, SwitchOutages>;

/// How the ports of a switch of `ports` ports change, by time: failed while any outage of theirs lasts, else
/// as `own` has them, what the switch itself says of its ports, in any order (of one moment in the order
/// given). So the end of one outage ends no other, and no sticking. A whole switch that fails is one change
/// where all its ports change.
[[nodiscard]] std::vector<PortChange> changes_of(const SwitchOutages& outages, std::vector<PortChange> own,
                                                 std::uint32_t ports);

}  // namespace lightrail
