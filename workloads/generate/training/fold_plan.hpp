#pragma once
#include <functional>
#include <string>

#include "engine/model/describe.hpp"

namespace lightrail {

struct TrainingPlan;
struct Transformer;

/// Adds the attribute to those of a plan that lets data-parallel replicas stand for others.
void describe_fold(Describe<TrainingPlan>& table);
/// What cannot be goes to `refuse`. TrainingPlan::dp is known.
void check_fold(const Transformer& model, const TrainingPlan& plan,
                const std::function<void(const std::string&)>& refuse);
/// A sentence for the result; "" where nothing is folded.
[[nodiscard]] std::string fold_note(const TrainingPlan& plan);

}  // namespace lightrail
