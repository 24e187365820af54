#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/training/training_memory.hpp"

using namespace lightrail;

namespace {

Job job_of(const std::string& plan, const std::string& model, std::uint32_t gpus) {
  MadeJob made = make_job_of("<workload kind=\"training\" global-batch=\"1\" sequence=\"64\" " + plan + ">" +
                                 small_model("gated=\"on\" " + model) + "</workload>",
                             gpus);
  REQUIRE(made.errors == std::vector<std::string>{});
  return std::move(made.job);
}

/// Multiplications of a GPU's products.
std::int64_t products(const Job& job) {
  std::int64_t sum = 0;
  for (const Op& op : job.programs.programs[0].ops) {
    if (op.kind != OpKind::compute) continue;
    const KernelShape& s = job.programs.shapes[op.shape];
    if (s.kind == KernelKind::gemm) sum += s.m * s.n * s.k * s.batch;
  }
  return sum;
}

std::map<std::string, int> counts(const Job& job) {
  std::map<std::string, int> count;
  for (const Op& op : job.programs.programs[0].ops) ++count[job.names[op.name]];
  return count;
}

}  // namespace

TEST_CASE(
    "attention beside the feed-forward multiplies as much as behind it, with half the collectives over tp") {
  const char* plan = GENERATE("tp=\"4\"", "tp=\"4\" tensor-overlap=\"backward\"");
  const Job behind = job_of(plan, "", 4), beside = job_of(plan, "parallel=\"on\"", 4);
  CHECK(products(beside) == products(behind));
  std::map<std::string, int> two = counts(behind), one = counts(beside);
  // 4 layers: of the 2 and 3 of each pass of both blocks one block's stay.
  CHECK(two["tp all-gather"] - one["tp all-gather"] == 4 * (1 + 2));
  CHECK(two["tp reduce-scatter"] - one["tp reduce-scatter"] == 4 * (1 + 1));
  CHECK((two["norm"] == 4 * 2 + 1 && one["norm"] == 4 + 1));
  CHECK((two["residual"] == 4 * 2 && one["residual"] == 4));
  CHECK((one["qkv and ffn in"] == 4 && one["qkv and ffn in dgrad"] == 4 && one["ffn out wgrad"] == 4));
}

TEST_CASE("attention beside the feed-forward keeps one norm's input and output") {
  // PaLM 540B: 118 layers of 18,432; keys and values are one head's.
  const Transformer model = catalogue_model("palm_540b");
  TrainingPlan plan;
  plan.tp = 4;
  const std::int64_t tokens = 4096, local = tokens / 4, hidden = 18'432, q = 48 * 256 / 4, kv = 256,
                     ffn = hidden;
  const std::int64_t attention = 2 * q + 2 * kv;  // queries, the output, keys, values
  CHECK(layer_activation_bytes(model, plan, 0) == 2 * (2 * local * hidden + tokens * (attention + 3 * ffn)));
  // For gradients of weights: one input, one gradient of the output, what both products in give and take.
  CHECK(layer_weight_gradient_bytes(model, plan, 0) ==
        2 * (local * hidden + tokens * (hidden + attention + 3 * ffn)));
  plan.recompute = Recompute::modules, plan.modules = recompute_module::layernorm;
  CHECK(layer_activation_bytes(model, plan, 0) - kept_activation_bytes(model, plan, 0) == 2 * local * hidden);
}
