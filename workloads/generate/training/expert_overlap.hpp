#pragma once
#include <functional>
#include <string>

namespace lightrail {

struct Transformer;
struct TrainingPlan;

/// What overlap-experts="on" (a forward and a backward pass of two micro-batches run beside each other's
/// exchange of experts' tokens) cannot be joined with goes to `refuse`.
void check_expert_overlap(const Transformer& model, const TrainingPlan& plan,
                          const std::function<void(const std::string&)>& refuse);

}  // namespace lightrail
