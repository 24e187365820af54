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

// A micro-batch of 64 tokens; 8 heads of 8 + 4 elements in queries and keys, 8 in values.
constexpr std::int64_t tokens = 64, hidden = 64, heads = 8, query = 12, value = 8, kv_latent = 16, rope = 4;

std::string model_text(const std::string& more) {
  return "<model layers=\"2\" hidden=\"64\" heads=\"8\" head-dim=\"8\" rope-dim=\"4\" latent=\"20\" "
         "ffn=\"128\" vocabulary=\"1024\" " +
         more + "/>";
}

Job job_of(const std::string& plan, std::uint32_t gpus, const std::string& more = "q-latent=\"24\"") {
  MadeJob made = make_job_of("<workload kind=\"training\" global-batch=\"1\" sequence=\"64\" " + plan + ">" +
                                 model_text(more) + "</workload>",
                             gpus);
  REQUIRE(made.errors == std::vector<std::string>{});
  return std::move(made.job);
}

/// Twice the multiplications of all GPUs' products and attention kernels but the output layer's, whose
/// vocabulary is padded by tp.
std::int64_t work(const Job& job) {
  std::int64_t sum = 0;
  for (const std::uint32_t program : job.programs.program_of_gpu)
    for (const Op& op : job.programs.programs[program].ops) {
      if (op.kind != OpKind::compute || job.names[op.name].rfind("logits", 0) == 0) continue;
      const KernelShape& s = job.programs.shapes[op.shape];
      if (s.kind == KernelKind::gemm) sum += 2 * s.m * s.n * s.k * s.batch;
      if (s.kind != KernelKind::attention) continue;
      const std::int64_t pairs = s.batch * s.heads * s.m * s.n / (s.causal ? 2 : 1);
      // Scores and sums of values; backward scores again, their gradient, those of queries, keys and values.
      sum += 2 * pairs * (s.backward ? 3 * s.head_dim + 2 * s.k : s.head_dim + s.k);
    }
  return sum;
}

std::vector<Op> ops_of(const Job& job, const std::string& name) {
  std::vector<Op> all;
  for (const Op& op : job.programs.programs[0].ops)
    if (job.names[op.name] == name) all.push_back(op);
  return all;
}

}  // namespace

TEST_CASE("latent attention over tp and cp is the same work as on one GPU") {
  const std::string more = GENERATE("q-latent=\"24\"", "");
  CAPTURE(more);
  const std::int64_t one = work(job_of("", 1, more));
  CHECK(one > 0);
  CHECK(work(job_of("tp=\"2\"", 2, more)) == one);
  CHECK(work(job_of("tp=\"8\"", 8, more)) == one);
  CHECK(work(job_of("cp=\"2\"", 2, more)) == one);
  CHECK(work(job_of("tp=\"2\" cp=\"4\"", 8, more)) == one);
}

TEST_CASE("latents and the keys' positions are gathered over tp, not the input") {
  const Job job = job_of("tp=\"4\"", 4);
  std::vector<std::int64_t> gathered, scattered;
  bool is_attention = false;
  for (const Op& op : job.programs.programs[0].ops) {
    const std::string& name = job.names[op.name];
    if (name == "q down") is_attention = true;
    if (name == "residual") break;
    if (!is_attention || op.kind != OpKind::collective) continue;
    (op.collective == CollectiveType::all_gather ? gathered : scattered).push_back(op.bytes);
  }
  CHECK(gathered == std::vector<std::int64_t>{2 * tokens * rope, 2 * tokens * 24, 2 * tokens * kv_latent});
  CHECK(scattered == std::vector<std::int64_t>{2 * tokens * hidden});
  const KernelShape down = job.programs.shapes[ops_of(job, "kv down")[0].shape];
  CHECK((down.m == tokens / 4 && down.n == kv_latent + rope && down.k == hidden));
  const KernelShape up = job.programs.shapes[ops_of(job, "kv up")[0].shape];
  CHECK((up.m == tokens && up.n == heads / 4 * (8 + value) && up.k == kv_latent));
  const KernelShape attention = job.programs.shapes[ops_of(job, "attention")[0].shape];
  CHECK((attention.heads == heads / 4 && attention.head_dim == query && attention.k == value));
}

TEST_CASE("over cp keys and values of all heads go round, keys with their positions") {
  const Job job = job_of("tp=\"2\" cp=\"2\"", 4);
  const std::vector<Op> sends = ops_of(job, "cp send");
  REQUIRE_FALSE(sends.empty());
  for (const Op& send : sends) CHECK(send.bytes == 2 * (tokens / 2) * (heads / 2) * (query + value));
}

TEST_CASE(
    "of latent attention's parameters those down to the latents and both norms are on every GPU of tp") {
  const Transformer model = catalogue_model("deepseek_v3");
  TrainingPlan one, eight;
  eight.tp = 8;
  const LayerParameters whole = layer_parameters(model, one, 0), part = layer_parameters(model, eight, 0);
  const std::int64_t down = 7168 * 576 + 512 + 1536 * (7168 + 1), norms = 2 * 7168;
  CHECK(part.repeated == down + norms);
  CHECK(8 * (part.dense - part.repeated) == whole.dense - part.repeated);
}

TEST_CASE("latent attention keeps latents by the sequence, heads by tp, the keys' positions whole") {
  // Inputs of the latents' norms and their outputs; queries, keys, values, the output.
  const Transformer model = catalogue_model("deepseek_v3");
  TrainingPlan plan;
  const auto of_attention = [&](std::uint32_t tp) {
    plan.tp = tp;
    const std::int64_t local = plan.tokens() / tp;
    return 2 * 2 * local * (1536 + 512) + 2 * plan.tokens() * 64 +
           2 * plan.tokens() * (128 / tp) * (2 * 192 + 2 * 128);
  };
  const auto rest = [&](std::uint32_t tp) {
    plan.tp = tp;
    return layer_activation_bytes(model, plan, 0) - of_attention(tp);
  };
  CHECK(rest(8) * 8 == rest(1));
}
