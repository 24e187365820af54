#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/training/training_memory.hpp"

using namespace lightrail;

namespace {

Job job_of(const std::string& plan, std::uint32_t gpus, int batch) {
  MadeJob made = make_job_of("<workload kind=\"training\" global-batch=\"" + std::to_string(batch) +
                                 "\" sequence=\"64\" " + plan + ">" + small_model("") + "</workload>",
                             gpus);
  REQUIRE(made.errors == std::vector<std::string>{});
  return std::move(made.job);
}

bool depends(const Program& program, std::uint32_t op, std::uint32_t on) {
  const auto first = program.dependencies.begin() + program.ops[op].first_dependency;
  return std::find(first, first + program.ops[op].dependency_count, on) !=
         first + program.ops[op].dependency_count;
}

}  // namespace

TEST_CASE(
    "activations of a chunk's first layers go out after their forward pass and come back a layer ahead") {
  const Job job = job_of("offload-layers=\"3\"", 1, 2);
  const Program& program = job.programs.programs[0];
  const std::vector<std::uint32_t> out = ops_named(job, 0, "offload activations"),
                                   in = ops_named(job, 0, "reload activations"),
                                   wgrads = ops_named(job, 0, "ffn out wgrad");
  // 3 of 4 layers, 2 micro-batches, each kept layer's bytes.
  REQUIRE((out.size() == 6 && in.size() == 6 && wgrads.size() == 8));
  TrainingPlan plan;
  plan.sequence = 64;
  Transformer model;
  model.layers = 4, model.hidden = 64, model.heads = 8, model.kv_heads = 4, model.ffn = 128,
  model.vocabulary = 1000;
  for (const std::uint32_t op : out) {
    CHECK((program.ops[op].bytes == kept_activation_bytes(model, plan, 0) && program.ops[op].peer == 0));
  }
  for (std::uint32_t k = 0; k < 3; ++k) {
    CHECK(
        (program.ops[in[k]].bytes == kept_activation_bytes(model, plan, 0) && program.ops[in[k]].peer == 1));
    // Not before all is out; written before the backward pass of the layer above.
    CHECK(depends(program, in[k], out[2]));
    CHECK((in[k] < wgrads[k] && (k == 0 || in[k] > wgrads[k - 1])));
  }
}

TEST_CASE("an offloaded optimiser comes behind the passes and goes when it has been used") {
  const Job job = job_of("offload-optimizer=\"on\"", 4, 8);
  const Program& program = job.programs.programs[0];
  const std::vector<std::uint32_t> in = ops_named(job, 0, "reload optimizer"),
                                   out = ops_named(job, 0, "offload optimizer"),
                                   norm = ops_named(job, 0, "gradient norm"),
                                   update = ops_named(job, 0, "optimizer");
  REQUIRE((in.size() == 1 && out.size() == 1 && norm.size() == 1 && update.size() == 1));
  // 12 bytes of each of a GPU's parameters, of which the update moves 4 + 2 x 12 + 2.
  const std::int64_t bytes = job.programs.shapes[program.ops[update[0]].shape].bytes / 30 * 12;
  CHECK((program.ops[in[0]].bytes == bytes && program.ops[out[0]].bytes == bytes));
  CHECK(depends(program, norm[0], in[0]));
  CHECK(depends(program, out[0], update[0]));
}

TEST_CASE("what is offloaded is not in the GPU's memory, but for two layers on their way") {
  const Transformer model = catalogue_model("llama3_8b");
  TrainingPlan plan;
  plan.pp = 4, plan.global_batch = 16;
  const std::int64_t layer = layer_activation_bytes(model, plan, 0);
  const TrainingMemory whole = training_memory(model, plan, 0);
  CHECK(whole.activations == 4 * 8 * layer);
  plan.offload_layers = 6;
  CHECK(training_memory(model, plan, 0).activations == 4 * 2 * layer + 2 * layer);
  plan.offload_layers = 0, plan.offloads_optimizer = true;
  CHECK(training_memory(model, plan, 0).optimizer ==
        std::max<std::int64_t>(0, whole.optimizer - whole.activations));
}
