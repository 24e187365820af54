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

// 256 tokens in chunks of 64; 8 heads of 16 with states of 32 in 4 groups.
constexpr std::int64_t tokens = 256, hidden = 64, width = 8 * 16, states = 2 * 4 * 32, chunk = 64;

Job job_of(const std::string& plan, std::uint32_t gpus = 1, const std::string& pattern = "M*ME-M",
           int batch = 1) {
  const bool has_experts = pattern.find('E') != std::string::npos;
  MadeJob made = make_job_of(
      "<workload kind=\"training\" global-batch=\"" + std::to_string(batch) + "\" sequence=\"256\" " + plan +
          "><model layers=\"6\" hidden=\"64\" heads=\"8\" kv-heads=\"4\" ffn=\"128\" vocabulary=\"1024\" " +
          (has_experts ? "experts=\"4\" active-experts=\"2\" dense-ffn=\"96\" " : "") + "pattern=\"" +
          pattern +
          "\" mamba-heads=\"8\" mamba-head-dim=\"16\" mamba-state=\"32\" mamba-groups=\"4\" "
          "mamba-chunk=\"64\"/></workload>",
      gpus);
  REQUIRE(made.errors == std::vector<std::string>{});
  return std::move(made.job);
}

std::map<std::string, int> counts(const Job& job, const Program& program) {
  std::map<std::string, int> count;
  for (const Op& op : program.ops) ++count[job.names[op.name]];
  return count;
}

/// Multiplications of all GPUs' products whose name begins so.
std::int64_t products(const Job& job, const std::string& begin) {
  std::int64_t sum = 0;
  for (const std::uint32_t program : job.programs.program_of_gpu)
    for (const Op& op : job.programs.programs[program].ops) {
      if (op.kind != OpKind::compute || job.names[op.name].rfind(begin, 0) != 0) continue;
      const KernelShape& s = job.programs.shapes[op.shape];
      if (s.kind == KernelKind::gemm) sum += s.m * s.n * s.k * s.batch;
    }
  return sum;
}

}  // namespace

TEST_CASE("a hybrid's layers are the blocks of its pattern, each with one norm and one residual sum") {
  const Job job = job_of("");
  std::map<std::string, int> count = counts(job, job.programs.programs[0]);
  CHECK((count["mamba in"] == 3 && count["qkv"] == 1 && count["experts in"] == 1 && count["ffn in"] == 1));
  CHECK((count["norm"] == 6 + 1 && count["residual"] == 6 && count["norm backward"] == 7));
  CHECK((count["mamba in wgrad"] == 3 && count["mamba out wgrad"] == 3 && count["scan output"] == 3));
}

TEST_CASE("a Mamba-2 block multiplies by its weights thrice and scans in chunks") {
  const Job job = job_of("");
  // Gate, inputs, states' projections, a step of each head; and back.
  CHECK(products(job, "mamba in") == 3 * 3 * tokens * hidden * (2 * width + states + 8));
  CHECK(products(job, "mamba out") == 3 * 3 * tokens * width * hidden);
  // A token: scores of its chunk by group; what it adds to a state, its chunk's and its state's part.
  const std::int64_t scores = tokens * chunk * 32 * 4, state = tokens * 32 * width,
                     within = tokens * chunk * width;
  const std::int64_t forward = scores + 2 * state + within;
  const std::int64_t backward = scores + state + 2 * (scores + 2 * state + within);
  CHECK(products(job, "scan") == 3 * (forward + backward));
}

TEST_CASE(
    "over tp a hybrid does the same work, its heads and groups split, with the collectives of attention") {
  const Job one = job_of(""), two = job_of("tp=\"2\" ep=\"1\"", 2);
  for (const char* name : {"mamba", "scan", "qkv", "ffn", "attention out"})
    CHECK(products(two, name) == products(one, name));
  // 6 blocks of 2 + 3, embedding 2, output 3.
  const Job dense = job_of("tp=\"2\"", 2, "M*M--M");
  std::map<std::string, int> count = counts(dense, dense.programs.programs[0]);
  CHECK((count["tp all-gather"] == 6 * 3 + 1 + 2 && count["tp reduce-scatter"] == 6 * 2 + 1 + 1));
}

TEST_CASE("hybrids have the parameters their authors state, spread over the blocks of a pattern") {
  const Transformer nano = catalogue_model("nemotron3_nano_30b_a3b"), h8 = catalogue_model("nemotron_h_8b");
  CHECK(static_cast<double>(nano.total_parameters()) / 1e9 == Approx(31.6).epsilon(0.002));
  // 3.6 B with both tables; 3.2 B without the input embedding.
  CHECK(static_cast<double>(nano.active_parameters()) / 1e9 == Approx(3.6).epsilon(0.01));
  CHECK(static_cast<double>(h8.total_parameters()) / 1e9 == Approx(8.1).epsilon(0.005));
  TrainingPlan plan;
  plan.pp = 4, plan.ep = plan.dp = 8, plan.global_batch = 32;
  std::int64_t dense = 0, expert = 0;
  for (std::uint32_t stage = 0; stage < plan.pp; ++stage) {
    const StageParameters p = stage_parameters(nano, plan, stage);
    dense += p.dense(), expert += p.expert() * plan.ep;
  }
  CHECK(dense + expert == nano.total_parameters());
}

TEST_CASE("a Mamba-2 block keeps its norm's input and output, what it projects, convolves, scans and norms") {
  const Transformer model = catalogue_model("nemotron_h_8b");
  TrainingPlan plan;
  plan.tp = 4;
  const std::int64_t local = 1024 * 4096, in = (2 * 8192 + 2048 + 128) / 4, inner = 8192 / 4,
                     convolved = (8192 + 2048) / 4;
  CHECK(layer_activation_bytes(model, plan, 0) == 2 * 2 * local + 2 * 4096 * (in + convolved + 2 * inner));
  // A feed-forward is a block as well.
  CHECK(layer_activation_bytes(model, plan, 1) == 2 * 2 * local + 2 * 4096 * 2 * 21'504 / 4);
  CHECK(layer_weight_gradient_bytes(model, plan, 0) == 2 * (local + 4096 * 4096 + 4096 * (in + inner)));
}
