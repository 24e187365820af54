#pragma once
#include <functional>
#include <string>

#include "engine/model/describe.hpp"
#include "engine/scenario/element.hpp"

namespace lightrail {

struct TrainingPlan;
struct Transformer;

/// Adds the attributes to those of a plan that say how even experts' loads are.
void describe_balance(Describe<TrainingPlan>& table);
/// What they make of the plan's gate, after its <gate> was read; what cannot be goes to `refuse`.
void read_balance(const Element& workload, const Transformer& model, TrainingPlan& plan,
                  const std::function<void(const std::string&)>& refuse);
/// Of a model without experts.
void refuse_balance(const TrainingPlan& plan, const std::function<void(const std::string&)>& refuse);

}  // namespace lightrail
