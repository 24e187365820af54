#include "workloads/generate/training/held_activations.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "workloads/generate/training/training_memory.hpp"

namespace lightrail {

namespace {

/// Of one pass through a chunk on one GPU: kept until its backward pass, from there to the gradients of
/// weights, for the while that a layer is at work, and on the way to the host's memory or back.
struct PassBytes {
  std::int64_t kept = 0, owed = 0, at_work = 0, on_the_way = 0;
};

void add_layer(const Transformer& model, const TrainingPlan& plan, std::int64_t layer, bool is_offloaded,
               double load, PassBytes& bytes) {
  const std::int64_t whole = layer_activation_bytes(model, plan, layer, load);
  const std::int64_t kept = kept_activation_bytes(model, plan, layer, load);
  // What is offloaded is here for two layers at a time, on their way out or in.
  if (is_offloaded)
    bytes.on_the_way = std::max(bytes.on_the_way, 2 * kept);
  else
    bytes.kept += kept;
  bytes.owed += layer_weight_gradient_bytes(model, plan, layer, load);
  if (model.is_mtp_layer(layer)) {
    // Inputs of both norms and, unless these are computed again, of the projection.
    const std::int64_t activation = 2 * plan.local_tokens() * model.hidden;
    bytes.kept += (plan.recompute == Recompute::light ? 2 : 4) * activation;
    bytes.owed += plan.operand_bytes(3 * activation / 2);
  }
  if (plan.recompute >= Recompute::modules) bytes.at_work = std::max(bytes.at_work, whole);
}

/// By member of an expert group: one of those that share a column of the gate; one in all where it is even.
std::vector<PassBytes> bytes_of_pass(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage,
                                     std::uint32_t chunk, std::int64_t micro_batch) {
  const Gate& gate = plan.gate;
  std::vector<PassBytes> bytes(gate.is_even() ? 1 : gate.rows);
  const std::int64_t first = plan.first_layer(model, stage, chunk);
  for (std::int64_t l = first; l < first + plan.layers_of_chunk(model, stage, chunk); ++l) {
    std::vector<double> load(bytes.size(), 1);
    if (!gate.is_even() && model.is_moe_layer(l)) {
      const std::vector<double> received =
          gate_shares(gate, l, micro_batch, plan.max_share(model)).received();
      const double over_even =
          static_cast<double>(plan.routed_tokens(model)) / static_cast<double>(plan.kept_tokens(model));
      for (std::size_t i = 0; i < load.size(); ++i)
        load[i] = received[i * (gate.size / gate.rows)] * over_even;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i)
      add_layer(model, plan, l, l - first < plan.offload_layers, load[i], bytes[i]);
  }
  return bytes;
}

}  // namespace

std::int64_t held_activation_bytes(const Transformer& model, const TrainingPlan& plan, std::uint32_t stage) {
  const bool is_same_for_all = plan.gate.is_even() || plan.gate.drift == 0;
  std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<PassBytes>> known;
  std::vector<std::int64_t> held(plan.gate.is_even() ? 1 : plan.gate.rows, 0);
  std::int64_t most = 0;
  for (const ChunkPass& pass : plan.passes(stage)) {
    const std::int64_t micro_batch = is_same_for_all ? 0 : plan.micro_batch_of(pass);
    auto [found, is_new] = known.try_emplace({pass.chunk, micro_batch});
    if (is_new) found->second = bytes_of_pass(model, plan, stage, pass.chunk, micro_batch);
    for (std::size_t i = 0; i < held.size(); ++i) {
      const PassBytes& bytes = found->second[i];
      if (pass.is_forward()) held[i] += bytes.kept;
      if (pass.kind != PassKind::weight_gradient)
        most = std::max(most, held[i] + bytes.at_work + bytes.on_the_way);
      if (pass.kind == PassKind::backward) held[i] -= bytes.kept;
      if (pass.kind == PassKind::input_gradient) held[i] -= bytes.kept - bytes.owed;
      if (pass.kind == PassKind::weight_gradient) held[i] -= bytes.owed;
    }
    const bool has_ended = pass.kind == PassKind::backward || pass.kind == PassKind::weight_gradient;
    if (has_ended && !is_same_for_all) known.erase(found);
  }
  return most;
}

}  // namespace lightrail
