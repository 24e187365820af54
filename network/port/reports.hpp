#pragma once
#include <string>

#include "engine/base/quantity.hpp"
#include "network/port/egress_bank.hpp"

namespace lightrail {

/// The name of an endpoint's component ("gpu17"), or "?" when there is none.
[[nodiscard]] std::string endpoint_name(const Model& model, EndpointId endpoint);

/// Writes the component's row of the power table, if recorded: `power` over the whole run plus the energy of
/// the links it drives; active is the time its busiest output was busy. No row when nothing is known.
void record_power(Context& context, const Model& model, Watts power, const EgressBank& egress);

}  // namespace lightrail
