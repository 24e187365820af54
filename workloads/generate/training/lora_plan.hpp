#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "engine/model/describe.hpp"

namespace lightrail {

struct TrainingPlan;
struct Transformer;

/// Products that have adapters, by the names that NeMo and Megatron Bridge have for them (linear_qkv,
/// linear_proj, linear_fc1, linear_fc2).
namespace lora_module {
inline constexpr std::uint32_t qkv = 1, proj = 2, fc1 = 4, fc2 = 8;
}

/// Adds the attributes to those of a plan.
void describe_lora(Describe<TrainingPlan>& table);
/// Fills TrainingPlan::lora; what cannot be goes to `refuse`.
void read_lora(const Transformer& model, TrainingPlan& plan,
               const std::function<void(const std::string&)>& refuse);

}  // namespace lightrail
