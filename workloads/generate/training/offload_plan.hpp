#pragma once
#include <functional>
#include <string>

#include "engine/model/describe.hpp"

namespace lightrail {

struct TrainingPlan;

/// Adds the attributes to those of a plan that say what a GPU puts into its host's memory.
void describe_offload(Describe<TrainingPlan>& table);
/// What cannot be goes to `refuse`.
void check_offload(const TrainingPlan& plan, const std::function<void(const std::string&)>& refuse);

}  // namespace lightrail
