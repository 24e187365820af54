#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/training/training_memory.hpp"

using namespace lightrail;

namespace {

// 4 layers; 64 tokens of 64 elements; queries 64, keys and values 32 each, 128 inside.
constexpr std::int64_t layers = 4, tokens = 64, hidden = 64, qkv = 128, ffn = 128, rank = 4;

Job job_of(const std::string& plan, std::uint32_t gpus = 1, const std::string& model = "") {
  MadeJob made = make_job_of("<workload kind=\"training\" global-batch=\"1\" sequence=\"64\" " + plan + ">" +
                                 small_model(model) + "</workload>",
                             gpus);
  REQUIRE(made.errors == std::vector<std::string>{});
  return std::move(made.job);
}

/// Multiplications of all GPUs' products but the output layer's, whose vocabulary is padded by tp.
std::int64_t products(const Job& job) {
  std::int64_t sum = 0;
  for (const std::uint32_t program : job.programs.program_of_gpu)
    for (const Op& op : job.programs.programs[program].ops) {
      if (op.kind != OpKind::compute || job.names[op.name].rfind("logits", 0) == 0) continue;
      const KernelShape& s = job.programs.shapes[op.shape];
      if (s.kind == KernelKind::gemm) sum += s.m * s.n * s.k * s.batch;
    }
  return sum;
}

int count(const Job& job, const std::string& end) {
  int found = 0;
  for (const Op& op : job.programs.programs[0].ops) {
    const std::string& name = job.names[op.name];
    found +=
        name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0 ? 1 : 0;
  }
  return found;
}

}  // namespace

TEST_CASE(
    "with adapters a frozen model's gradients of weights go, and three times the adapters' products come") {
  const std::int64_t all = products(job_of(""));
  const std::int64_t sides = (hidden + qkv) + 2 * hidden + 2 * (hidden + ffn);
  const Job adapted = job_of("lora-rank=\"4\"");
  CHECK(products(adapted) == all * 2 / 3 + 3 * layers * tokens * rank * sides);
  CHECK(count(adapted, " wgrad") == layers * 4 * 2);
  CHECK(count(adapted, "embedding backward") == 0);
  const Job some = job_of("lora-rank=\"4\" lora-modules=\"linear_qkv linear_fc2\"");
  CHECK(products(some) == all * 2 / 3 + 3 * layers * tokens * rank * (hidden + qkv + hidden + ffn));
  // The factor at the unsplit side of a product is done by every GPU of tp, for all tokens.
  const std::int64_t whole = 4 * hidden;
  CHECK(products(job_of("lora-rank=\"4\" tp=\"2\"", 2)) ==
        products(adapted) + 3 * layers * tokens * rank * whole);
}

TEST_CASE("adapters alone have gradients and an optimiser, the model only its two bytes") {
  const Transformer model = catalogue_model("llama3_70b");
  TrainingPlan plan;
  plan.tp = 8, plan.lora_rank = 16, plan.lora = 15;
  const std::int64_t split = (8192 + 2 * 1024) / 8 + 8192 / 8 + 3 * 28'672 / 8;
  const std::int64_t adapters = 80 * 16 * (split + 4 * 8192);
  const TrainingMemory memory = training_memory(model, plan, 0);
  const std::int64_t base = stage_parameters(model, plan, 0).dense();
  CHECK(memory.parameters == 2 * (base + adapters));
  CHECK(memory.gradients == 4 * adapters);
  CHECK(memory.optimizer == 12 * adapters);
  CHECK(partial_gradients(plan, trained_parameters(model, plan, 0)) == 80 * 16 * 4 * 8192);
}
