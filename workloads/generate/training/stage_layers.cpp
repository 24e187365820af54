#include <fmt/format.h>

#include <cstdint>
#include <numeric>
#include <sstream>

#include "workloads/generate/training/training_plan.hpp"

namespace lightrail {

std::string read_stage_layers(const Transformer& model, TrainingPlan& plan) {
  std::istringstream text(plan.stage_layers_text);
  std::int64_t sum = 0;
  for (std::string part; text >> part;) {
    std::istringstream pair(part);
    std::int64_t stages = 0, layers = 0;
    char times = 0;
    if (!(pair >> stages >> times >> layers) || times != 'x' || !pair.eof() || stages < 1 || layers < 1 ||
        stages > plan.pp || layers > model.layers)
      return fmt::format("has '{}' (expected stages x layers: 13x4)", part);
    plan.stage_layers.insert(plan.stage_layers.end(), static_cast<std::size_t>(stages), layers);
    sum += stages * layers;
  }
  if (plan.stage_layers.size() != plan.pp || sum != model.layers)
    return fmt::format("is {} stages of {} layers together (expected pp = {} of layers = {})",
                       plan.stage_layers.size(), sum, plan.pp, model.layers);
  return plan.chunks > 1 || plan.edges_count ? "with chunks > 1 or edges-count=\"on\"" : "";
}

std::int64_t TrainingPlan::layers_of_stage(const Transformer& model, std::uint32_t stage) const {
  if (!stage_layers.empty()) return stage_layers[stage];
  if (!edges_count || pp == 1) return model.layers / pp;
  return (model.layers + 2) / pp - (stage == 0 ? 1 : 0) - (stage + 1 == pp ? 1 : 0);
}

std::int64_t TrainingPlan::first_layer(const Transformer& model, std::uint32_t stage,
                                       std::uint32_t chunk) const {
  const std::uint32_t at = model_stage(stage, chunk);
  if (!stage_layers.empty())
    return std::accumulate(stage_layers.begin(), stage_layers.begin() + at, std::int64_t{0});
  if (!edges_count || pp == 1) return at * (layers_of_stage(model, stage) / chunks);
  return at == 0 ? 0 : at * ((model.layers + 2) / pp) - 1;
}

}  // namespace lightrail
