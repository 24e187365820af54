#pragma once
#include <string>

#include "engine/model/model.hpp"

namespace lightrail {

/// How a scenario's fabric is laid out, and warnings where that is not what was asked for; "" for a fabric
/// without layout.
[[nodiscard]] std::string fabric_text(const Model& model);

/// What a scenario was found to be, for people: how much of it there is, how its fabric is laid out, and
/// warnings where that is not what was asked for. `file`: as typed.
[[nodiscard]] std::string scenario_text(const std::string& file, const Model& model);

}  // namespace lightrail
