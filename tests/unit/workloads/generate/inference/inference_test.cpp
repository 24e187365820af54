#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/inference/inference_plan.hpp"
#include "workloads/generate/inference/inference_requests.hpp"
#include "workloads/generate/inference/inference_writer.hpp"

using namespace lightrail;

namespace {

ServingPlan plan_of(const std::string& name) {
  const Transformer model = catalogue_model(name);
  ServingPlan plan;
  plan.layers = model.layers;
  plan.kv_heads = model.latent > 0 ? 1 : static_cast<std::uint32_t>(model.kv());
  plan.kv_head_bytes = 2 * model.kv_head_elements();
  return plan;
}

ServingPool pool_of(std::uint32_t tp, std::uint32_t pp, std::uint32_t first_gpu) {
  ServingPool pool;
  pool.tp = tp, pool.pp = pp, pool.first_gpu = first_gpu;
  return pool;
}

}  // namespace

TEST_CASE("a token's keys and values take what the models' papers say") {
  // Llama 3 8B: 32 layers x 8 heads x 128 x (K and V) x 2 B; DeepSeek-V3: 61 layers x (512 + 64) x 2 B.
  const InferenceSpec spec;
  CHECK(inference_memory(catalogue_model("llama3_8b"), spec, pool_of(1, 1, 0), 0, 0).kv_token == 131'072);
  CHECK(inference_memory(catalogue_model("llama3_8b"), spec, pool_of(4, 2, 0), 1, 0).kv_token == 131'072 / 8);
  // More GPUs than heads: every GPU keeps one head whole.
  CHECK(inference_memory(catalogue_model("llama3_8b"), spec, pool_of(16, 1, 0), 0, 0).kv_token ==
        131'072 / 8);
  CHECK(inference_memory(catalogue_model("deepseek_r1"), spec, pool_of(1, 1, 0), 0, 0).kv_token == 70'272);
  CHECK(inference_memory(catalogue_model("deepseek_v3"), spec, pool_of(1, 1, 0), 0, 0).kv_token == 70'272);
  // A latent is not split over heads.
  CHECK(inference_memory(catalogue_model("deepseek_r1"), spec, pool_of(8, 1, 0), 0, 0).kv_token == 70'272);
  InferenceSpec fp8;
  fp8.kv_dtype = DataType::fp8;
  CHECK(inference_memory(catalogue_model("llama3_8b"), fp8, pool_of(1, 1, 0), 0, 0).kv_token == 65'536);
}

TEST_CASE("weights of all GPUs of a replica are those of the model, in FP8 half of them") {
  const Transformer model = catalogue_model("llama3_8b");
  InferenceSpec spec;
  const std::int64_t whole = inference_memory(model, spec, pool_of(1, 1, 0), 0, 0).weights;
  CHECK(whole == 2 * model.total_parameters());
  const Transformer latent = catalogue_model("deepseek_v3");
  CHECK(inference_memory(latent, spec, pool_of(1, 1, 0), 0, 0).weights == 2 * latent.total_parameters());
  spec.dtype = DataType::fp8;
  const std::int64_t edges = 2 * model.vocabulary * model.hidden + model.hidden;
  CHECK(inference_memory(model, spec, pool_of(1, 1, 0), 0, 0).weights == whole / 2 + edges);
}

TEST_CASE("whatever the split, a decoding replica gets every layer and head once") {
  auto [from_tp, to_tp] = GENERATE(std::pair{1u, 1u}, std::pair{4u, 2u}, std::pair{2u, 4u}, std::pair{8u, 1u},
                                   std::pair{1u, 8u}, std::pair{8u, 8u});
  auto [from_pp, to_pp] =
      GENERATE(std::pair{1u, 1u}, std::pair{2u, 1u}, std::pair{1u, 4u}, std::pair{4u, 2u});
  const ServingPlan plan = plan_of("llama3_8b");
  const ServingPool from = pool_of(from_tp, from_pp, 0), to = pool_of(to_tp, to_pp, 100);
  std::vector<std::int64_t> got(to.gpus(), 0);
  for (const KvRoute& route : kv_routes(plan, from, 0, to, 0, 5)) {
    CHECK(route.from.value < from.gpus());
    got[route.to.value - 100] += route.bytes_per_token;
  }
  for (std::int64_t bytes : got) CHECK(bytes == 131'072 / to.gpus());
}

TEST_CASE("GPUs that keep the same head each get it, from one GPU that has it") {
  // 8 heads on 16 GPUs: two keep each head.
  const ServingPlan plan = plan_of("llama3_8b");
  const auto spread = kv_routes(plan, pool_of(8, 1, 0), 0, pool_of(16, 1, 8), 0, 0);
  REQUIRE(spread.size() == 16);
  for (const KvRoute& route : spread) {
    CHECK(route.from.value == (route.to.value - 8) / 2);
    CHECK(route.bytes_per_token == 131'072 / 8);
  }
  // The other way a head comes from one of the two.
  const auto routes = kv_routes(plan, pool_of(16, 1, 0), 0, pool_of(8, 1, 16), 0, 0);
  REQUIRE(routes.size() == 8);
  for (const KvRoute& route : routes) CHECK(route.from.value / 2 == route.to.value - 16);
  // A latent is on every GPU: one sender is enough.
  const auto latent = kv_routes(plan_of("deepseek_r1"), pool_of(8, 1, 0), 0, pool_of(2, 1, 8), 0, 0);
  REQUIRE(latent.size() == 2);
  for (const KvRoute& route : latent) CHECK(route.bytes_per_token == 70'272);
}

TEST_CASE("the request chooses the data-parallel shares that its keys and values move between") {
  ServingPool from = pool_of(2, 1, 0), to = pool_of(1, 1, 8);
  from.dp = 2, to.dp = 4;
  const auto routes = kv_routes(plan_of("llama3_8b"), from, 1, to, 0, 7);
  REQUIRE(routes.size() == 2);
  CHECK(routes[0].from.value == 4 + 2);  // replica 1, share 1
  CHECK(routes[0].to.value == 8 + 3);
}

TEST_CASE("a kernel written for one unit is sized by the batch") {
  ServingProgram rules;
  rules.tp = 4, rules.active_experts = 2;
  BatchSizes batch;
  batch.prefill_sequences = 1, batch.prefill_tokens = 30, batch.twice_prefill_keys = 230;
  batch.decode_sequences = 3, batch.decode_keys = 77, batch.logits = 4;
  KernelShape product;
  product.n = 64, product.k = 128;
  CHECK(sized(product, BatchUnit::tokens, rules, batch).m == 33);
  CHECK(sized(product, BatchUnit::slices, rules, batch).m == 9);
  CHECK(sized(product, BatchUnit::logits, rules, batch).m == 4);
  // 66 rows on 8 experts; with sliced rows 18.
  product.batch = 8;
  CHECK(sized(product, BatchUnit::rows, rules, batch).m == 9);
  CHECK(sized(product, BatchUnit::rows, rules, batch).batch == 8);
  rules.has_sliced_rows = true;
  CHECK(sized(product, BatchUnit::rows, rules, batch).m == 3);
  // One chunk of 30 tokens after 100: its last token sees 130.
  KernelShape attention;
  attention.kind = KernelKind::attention;
  const KernelShape prompt = sized(attention, BatchUnit::prefill, rules, batch);
  CHECK(prompt.m == 30);
  CHECK(prompt.n == 130);
  CHECK(prompt.causal == 1);
  batch.prefill_sequences = 2;
  CHECK(sized(attention, BatchUnit::prefill, rules, batch).n == 115);
  CHECK(sized(attention, BatchUnit::prefill, rules, batch).causal == 0);
  const KernelShape next = sized(attention, BatchUnit::decode, rules, batch);
  CHECK(next.m == 1);
  CHECK(next.batch == 3);
  CHECK(next.n == 77);
  batch.decode_sequences = 0;
  CHECK(is_empty(sized(attention, BatchUnit::decode, rules, batch)));
  // A product of prompts only, or of next tokens only.
  CHECK(sized(product, BatchUnit::prefill, rules, batch).m == 30);
  CHECK(is_empty(sized(product, BatchUnit::decode, rules, batch)));
}

TEST_CASE(
    "Poisson arrivals have the mean and the spread of an exponential, and the same requests at any rate") {
  RequestsSpec spec;
  spec.count = 20'000, spec.rate = 50, spec.lengths = LengthKind::lognormal;
  const auto requests = draw_requests(spec, 7);
  double sum = 0, squares = 0;
  SimTime last{};
  for (const ServingRequest& r : requests) {
    const double gap = static_cast<double>((r.arrival - last).count()) * 1e-12;
    sum += gap, squares += gap * gap;
    last = r.arrival;
  }
  const double mean = sum / spec.count;
  CHECK(mean == Approx(0.02).epsilon(0.03));
  // The standard deviation of an exponential is its mean.
  CHECK(std::sqrt(squares / spec.count - mean * mean) == Approx(mean).epsilon(0.05));
  spec.rate = 100;
  const auto closer = draw_requests(spec, 7);
  for (std::size_t i = 0; i < requests.size(); i += 997) {
    CHECK(closer[i].prompt == requests[i].prompt);
    CHECK(std::abs(2 * closer[i].arrival.count() - requests[i].arrival.count()) <=
          2'000 * static_cast<std::int64_t>(i + 1));
  }
  CHECK(draw_requests(spec, 8)[0].arrival != closer[0].arrival);
}

TEST_CASE("drawn lengths keep to their range") {
  RequestsSpec spec;
  spec.count = 2'000, spec.lengths = LengthKind::uniform, spec.spread = 0.25, spec.prompt = 400;
  for (const ServingRequest& r : draw_requests(spec, 1)) {
    CHECK(r.prompt >= 300);
    CHECK(r.prompt <= 500);
  }
  spec.lengths = LengthKind::lognormal, spec.spread = 2, spec.longest = 1000, spec.output = 1;
  std::uint32_t most = 0;
  for (const ServingRequest& r : draw_requests(spec, 1)) {
    most = std::max(most, r.prompt);
    CHECK(r.output >= 1);
  }
  CHECK(most == 1000);
}

TEST_CASE("a trace of requests is read to the picosecond") {
  const auto path = std::filesystem::temp_directory_path() / "lightrail_requests_test.csv";
  std::ofstream(path) << "prompt_tokens,arrival_s,user,output_tokens\n10,0.000000000001,a,2\n20, 3.5 ,b,1\n";
  const auto requests = read_requests(path.string());
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].arrival == picoseconds(1));
  CHECK(requests[1].arrival == milliseconds(3500));
  CHECK(requests[1].prompt == 20);
  CHECK(requests[1].output == 1);
  std::filesystem::remove(path);
}

TEST_CASE(
    "next tokens attend to the latent with all heads, prompts to keys and values that are multiplied out") {
  const Transformer model = catalogue_model(GENERATE("deepseek_v3", "deepseek_r1"));
  InferenceSpec spec;
  spec.kv_dtype = DataType::fp8;
  ServingPool pool;
  pool.tp = 8;
  ServingPlan plan;
  JobBuilder job(8);
  const InferenceGroups groups;
  InferenceWriter writer(model, spec, pool, groups, 0, plan, job);
  const Program program = writer.write("stage 0");
  auto shape = [&](const char* name) {
    for (const Op& op : program.ops)
      if (job.job().names[op.name] == name) return job.job().programs.shapes[op.shape];
    FAIL("no operation '" << name << "'");
    return KernelShape{};
  };
  const KernelShape next = shape("attention"), prompt = shape("attention of prompts");
  CHECK((next.heads == 16 && next.kv_heads == 1 && next.head_dim == 576 && next.k == 512));
  CHECK(next.bytes == 576);
  CHECK((prompt.heads == 16 && prompt.kv_heads == 16 && prompt.head_dim == 192 && prompt.k == 128));
  CHECK(prompt.bytes == 0);
}

TEST_CASE("an inference workload is refused as a trace") {
  const MadeJob made = make_job_of(
      "<workload kind=\"inference\"><model catalogue=\"models/llama3_8b\"/><requests "
      "count=\"1\"/></workload>",
      2);
  REQUIRE(made.errors.size() == 1);
  CHECK(made.errors[0].find("is no trace") != std::string::npos);
}
