#include <fmt/format.h>

#include <cstdint>
#include <sstream>

#include "workloads/generate/training/training_plan.hpp"

namespace lightrail {

std::string read_stage_layers(const Transformer& model, TrainingPlan& plan) {
  std::istringstream text(plan.stage_layers_text);
  std::int64_t sum = 0;
  for (std::string part; text >> part;) {
    std::istringstream pair(part);
    std::int64_t stages = 0, layers = -1;
    char times = 0;
    if (!(pair >> stages >> times >> layers) || times != 'x' || !pair.eof() || stages < 1 || layers < 0 ||
        stages > plan.model_stages() || layers > model.layers)
      return fmt::format("has '{}' (expected stages x layers: 13x4)", part);
    plan.stage_layers.insert(plan.stage_layers.end(), static_cast<std::size_t>(stages), layers);
    sum += stages * layers;
  }
  if (plan.stage_layers.size() != plan.model_stages() || sum != model.layers)
    return fmt::format("is {} stages of {} layers together (expected {} = {} of layers = {})",
                       plan.stage_layers.size(), sum, plan.chunks > 1 ? "pp x chunks" : "pp",
                       plan.model_stages(), model.layers);
  return plan.edges_count ? "with edges-count=\"on\"" : "";
}

std::int64_t TrainingPlan::layers_of_model_stage(const Transformer& model, std::uint32_t at) const {
  if (!stage_layers.empty()) return stage_layers[at];
  if (!edges_count || pp == 1) return model.layers / model_stages();
  return (model.layers + 2) / model_stages() - (at == 0 ? 1 : 0) - (at + 1 == model_stages() ? 1 : 0);
}

std::int64_t TrainingPlan::first_layer(const Transformer& model, std::uint32_t stage,
                                       std::uint32_t chunk) const {
  std::int64_t before = 0;
  for (std::uint32_t at = 0; at < model_stage(stage, chunk); ++at) before += layers_of_model_stage(model, at);
  return before;
}

}  // namespace lightrail
