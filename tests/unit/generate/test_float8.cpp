#include <catch2/catch.hpp>

#include <map>
#include <string>

#include "tests/unit/generate/workload_fixture.hpp"
#include "workloads/generate/training_memory.hpp"

using namespace lightrail;

namespace {

// One GPU, one micro-batch of 32 tokens, one layer.
constexpr std::int64_t tokens = 32, hidden = 64, ffn = 128, qkv = 3 * hidden;
constexpr std::int64_t weights = hidden * qkv + hidden * hidden + 2 * hidden * ffn;

Job job_of(const std::string& plan, std::uint32_t gpus = 1, const std::string& model = "") {
  MadeJob made = make_job_of(
      "<workload kind=\"training\" global-batch=\"" + std::to_string(gpus) + "\" sequence=\"32\" " + plan +
          "><model layers=\"1\" hidden=\"64\" heads=\"8\" ffn=\"128\" vocabulary=\"1000\" " + model +
          "/></workload>",
      gpus);
  REQUIRE(made.errors == std::vector<std::string>{});
  return std::move(made.job);
}

/// Bytes and kernels of casts, by name.
std::map<std::string, std::pair<std::int64_t, std::int64_t>> casts(const Job& job) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> all;
  for (const Op& op : job.programs.programs[0].ops) {
    const std::string& name = job.names[op.name];
    if (name.rfind("cast", 0) != 0) continue;
    all[name].first += job.programs.shapes[op.shape].bytes;
    all[name].second += job.programs.shapes[op.shape].batch;
  }
  return all;
}

std::map<std::string, Scaling> scalings(const Job& job) {
  std::map<std::string, Scaling> all;
  for (const Op& op : job.programs.programs[0].ops)
    if (op.kind == OpKind::compute && job.programs.shapes[op.shape].kind == KernelKind::gemm)
      all[job.names[op.name]] = job.programs.shapes[op.shape].scaling;
  return all;
}

}  // namespace

TEST_CASE("casts move the bytes of their recipe") {
  using Casts = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;
  // Inputs from norms and the activation, and from attention; gradients of both sums and of qkv, and from the
  // activation's.
  const std::int64_t norms = tokens * (2 * hidden + ffn), attention = tokens * hidden;
  const std::int64_t sums = tokens * (2 * hidden + qkv), activation = tokens * ffn;
  CHECK(casts(job_of("")).empty());
  CHECK(casts(job_of("dtype=\"fp8\"")) == Casts{{"cast", {4 * (attention + sums), 4}}});
  CHECK(casts(job_of("dtype=\"fp8\" float8-recipe=\"delayed\"")) == casts(job_of("dtype=\"fp8\"")));
  // A tensor's largest value: a read of 2 bytes more, which norms and activations do on their way.
  CHECK(casts(job_of("dtype=\"fp8\" float8-recipe=\"tensorwise\"")) ==
        Casts{{"cast", {4 * (norms + activation) + 6 * (attention + sums), 8}},
              {"cast weights", {(5 + 3) * weights, 8}}});
  // Rows: written beside what norms and activations write, else read too. Columns: two reads and a byte, of
  // every input and gradient, for the gradients of weights.
  CHECK(casts(job_of("dtype=\"fp8\" float8-recipe=\"rowwise\"")) ==
        Casts{{"cast", {norms + activation + 3 * (attention + sums), 8}},
              {"cast weights", {(3 + 5) * weights, 8}},
              {"cast columns", {5 * (norms + attention + sums + activation), 8}}});
}

TEST_CASE("full recomputation casts inputs and weights again, columns once") {
  const auto once = casts(job_of("dtype=\"fp8\" float8-recipe=\"rowwise\"")),
             again = casts(job_of("dtype=\"fp8\" float8-recipe=\"rowwise\" recompute=\"full\""));
  CHECK(again.at("cast").first - once.at("cast").first == tokens * (2 * hidden + ffn) + 3 * tokens * hidden);
  CHECK(again.at("cast weights").first - once.at("cast weights").first == 3 * weights);
  CHECK(again.at("cast columns") == once.at("cast columns"));
  // What is made of kept inputs alone: norms and the activation, in the layout of the other gradient.
  const auto light = casts(job_of("dtype=\"fp8\" float8-recipe=\"tensorwise\" recompute=\"light\"")),
             kept = casts(job_of("dtype=\"fp8\" float8-recipe=\"tensorwise\""));
  CHECK(light.at("cast").first - kept.at("cast").first == 3 * tokens * (2 * hidden + ffn));
}

TEST_CASE("products have the recipe's scaling, the output layer and routers none") {
  for (const auto& [name, scaling] : scalings(job_of("dtype=\"fp8\" float8-recipe=\"rowwise\""))) {
    CAPTURE(name);
    CHECK((scaling == Scaling::rowwise) == (name.rfind("logits", 0) != 0));
  }
  const Job experts =
      job_of("dtype=\"fp8\" float8-recipe=\"rowwise\" ep=\"2\"", 2, "experts=\"4\" active-experts=\"2\"");
  for (const auto& [name, scaling] : scalings(experts)) {
    CAPTURE(name);
    CHECK((scaling == Scaling::rowwise) == (name.rfind("logits", 0) != 0 && name.rfind("router", 0) != 0));
  }
  for (const char* recipe : {"delayed", "tensorwise"})
    for (const auto& [name, scaling] :
         scalings(job_of(std::string("dtype=\"fp8\" float8-recipe=\"") + recipe + "\"")))
      CHECK(scaling == Scaling::tensorwise);
}

TEST_CASE("experts' weights are cast expert by expert") {
  const Job job =
      job_of("dtype=\"fp8\" float8-recipe=\"rowwise\" ep=\"2\"", 2, "experts=\"4\" active-experts=\"2\"");
  std::int64_t bytes = 0;
  for (const Op& op : job.programs.programs[0].ops)
    if (job.names[op.name] == "cast weights" && job.programs.shapes[op.shape].batch == 2)
      bytes += job.programs.shapes[op.shape].bytes;
  CHECK(bytes == (3 + 5) * 2 * 2 * hidden * ffn);
}

TEST_CASE("a rowwise input is kept in two bytes for the gradient of weights") {
  const Transformer model = catalogue_model("llama3_8b");
  TrainingPlan plan;
  plan.dtype = DataType::fp8, plan.sequence = 8192, plan.global_batch = 1;
  const std::int64_t one = light_activation_bytes(model, plan, 0);
  plan.float8_recipe = Float8Recipe::tensorwise;
  CHECK(light_activation_bytes(model, plan, 0) == one);
  plan.float8_recipe = Float8Recipe::rowwise;
  // Attention's output and both inner halves.
  CHECK(light_activation_bytes(model, plan, 0) - one == 8192 * (4096 + 2 * 14336));
}
