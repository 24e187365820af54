#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/generate/training/training_memory.hpp"

using namespace lightrail;

namespace {

double gib(std::int64_t bytes) {
  return static_cast<double>(bytes) / static_cast<double>(std::int64_t{1} << 30);
}

/// The plan of Megatron Core's table of memory (arXiv 2603.07685): 256 GPUs, four layers a chunk.
TrainingPlan deepseek_plan() {
  TrainingPlan plan;
  plan.pp = 4, plan.chunks = 4, plan.dp = plan.ep = 64, plan.global_batch = 64 * 64;
  return plan;
}

/// 16 chunks of four layers; the published layout has one layer and the loss on the last instead.
Transformer deepseek() {
  Transformer model = catalogue_model("deepseek_v3");
  model.layers = 64, model.mtp_layers = 0;
  return model;
}

std::int64_t activations(const TrainingPlan& plan) {
  return training_memory(deepseek(), plan, 2).activations;
}

TrainingPlan plan_of(std::uint32_t gpus, const std::string& attributes, const Transformer& model) {
  const Scenario scenario = scenario_of("<workload kind=\"training\" " + attributes + "/>");
  TrainingPlan plan;
  ErrorList errors;
  read_training_plan(*scenario.root.child("workload"), model, gpus, built_in_algorithms(), plan, errors);
  errors.throw_if_any();
  return plan;
}

}  // namespace

TEST_CASE("a layer of Korthikanti et al. keeps s b h (34 / t + 5 a s / (h t)) bytes") {
  // Equation 2 with sequence parallelism; attention unfused, dropout, no gated activation.
  Transformer model;
  model.layers = 1, model.hidden = 6144, model.heads = 64, model.ffn = 4 * 6144, model.vocabulary = 51'200;
  TrainingPlan plan;
  plan.tp = 8, plan.sequence = 2048, plan.micro_batch = 4, plan.kernels = Kernels::separate,
  plan.dropout = true;
  const std::int64_t sbh = 2048ll * 4 * 6144, scores = 5ll * 64 * 2048 * 2048 * 4;
  CHECK(layer_activation_bytes(model, plan, 0) == (34 * sbh + scores) / 8);
  plan.recompute = Recompute::selective;
  CHECK(layer_activation_bytes(model, plan, 0) == 34 * sbh / 8);
}

TEST_CASE("DeepSeek-V3 on 256 GPUs takes what Megatron Core's authors measured, within 2 %") {
  // Weights and gradients 36.4, optimiser 32.1, activations 131.0 GiB, of which experts' outputs 26.3:
  // weighing before the second product ("memory-efficient permutation") does without them.
  const TrainingMemory memory = training_memory(deepseek(), deepseek_plan(), 2);
  CHECK(gib(memory.parameters + memory.gradients) == Approx(36.4).epsilon(0.02));
  CHECK(gib(memory.optimizer) == Approx(32.1).epsilon(0.02));
  CHECK(gib(memory.activations) == Approx(131.0 - 26.3).epsilon(0.02));
}

TEST_CASE("what is computed again saves what was measured") {
  // Published: MLA up-projection 30.4, norms 8.2, activation functions 3.8 GiB, these with FP8.
  const TrainingPlan none = deepseek_plan();
  const auto saved = [](TrainingPlan plan, std::uint32_t module) {
    plan.recompute = Recompute::none, plan.modules = 0;
    const std::int64_t before = activations(plan);
    plan.modules = module;
    return gib(before - activations(plan));
  };
  CHECK(saved(none, recompute_module::mla_up_proj) == Approx(30.4).epsilon(0.02));
  CHECK(saved(none, recompute_module::layernorm) == Approx(8.2).epsilon(0.25));
  TrainingPlan mxfp8 = none;
  mxfp8.dtype = DataType::mxfp8;
  CHECK(saved(mxfp8, recompute_module::moe_act) == Approx(3.8).epsilon(0.03));
  // And the type itself: about 16.
  CHECK(gib(activations(none) - activations(mxfp8)) == Approx(16).epsilon(0.25));
}

TEST_CASE("plans that are known to have run fit") {
  const auto largest = [](const Transformer& model, const TrainingPlan& plan) {
    std::int64_t most = 0;
    for (std::uint32_t stage = 0; stage < plan.pp; ++stage)
      most = std::max(most, training_memory(model, plan, stage).total());
    return static_cast<double>(most) * 1e-9;
  };
  const Transformer llama = catalogue_model("llama3_1_405b"), qwen = catalogue_model("qwen3_30b_a3b");
  // Llama 3's own plan on H100 (arXiv 2407.21783, table 4): no activations are computed again.
  CHECK(largest(llama, plan_of(16384,
                               "tp=\"8\" pp=\"16\" global-batch=\"2048\" sequence=\"8192\" "
                               "edges-count=\"on\"",
                               llama)) < 85.9);
  // Megatron-Bridge on GB200 (186 GB) and B200 (180 GB).
  for (const std::string type : {"fp8", "mxfp8", "nvfp4"})
    CHECK(largest(llama, plan_of(256,
                                 "tp=\"4\" pp=\"16\" chunks=\"8\" global-batch=\"1536\" "
                                 "sequence=\"8192\" edges-count=\"on\" gradients=\"bf16\" dtype=\"" +
                                     type + "\"",
                                 llama)) < 186);
  CHECK(largest(qwen, plan_of(8,
                              "ep=\"8\" micro-batch=\"4\" global-batch=\"512\" dtype=\"mxfp8\" "
                              "gradients=\"bf16\"",
                              qwen)) < 180);
}
