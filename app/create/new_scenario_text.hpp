#pragma once
#include <string>

#include "app/create/new_scenario.hpp"

namespace lightrail {

/// The scenario as a file, with a <doc> that says what it is and which commands answer what. `file`: its name
/// in these commands.
[[nodiscard]] std::string new_scenario_text(const NewScenario& scenario, const std::string& file);

/// "all-reduce on 4 servers of dgx_h100 (32 GPUs), rail-optimised".
[[nodiscard]] std::string new_scenario_sentence(const NewScenario& scenario);

}  // namespace lightrail
