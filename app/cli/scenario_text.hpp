#pragma once
#include <string>

#include "engine/model/model.hpp"

namespace lightrail {

/// What a scenario was found to be, for people: how much of it there is, how its fabric is laid out, and
/// warnings where that is not what was asked for. `file`: as typed.
[[nodiscard]] std::string scenario_text(const std::string& file, const Model& model);

}  // namespace lightrail
