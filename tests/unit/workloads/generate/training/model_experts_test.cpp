#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/algorithm_named.hpp"
#include "tests/unit/workloads/generate/workload_fixture.hpp"

using namespace lightrail;

namespace {

// 4 members with 2 experts each, 32 tokens of a GPU to 2 experts each: 64 copies, 8 an expert on average.
Job job_of(const std::string& plan, const std::string& more = "", const std::string& model = "") {
  MadeJob made = make_job_of(
      "<workload kind=\"training\" sequence=\"32\" ep=\"4\" global-batch=\"8\" " + plan + ">" + more +
          "<model layers=\"2\" hidden=\"64\" heads=\"8\" ffn=\"128\" vocabulary=\"1000\" "
          "experts=\"8\" active-experts=\"2\" " +
          model + "/></workload>",
      4);
  REQUIRE(made.errors == std::vector<std::string>{});
  return std::move(made.job);
}

const char* uneven = "<gate tokens=\"70 10 10 10; 10 70 10 10; 10 10 70 10; 70 10 10 10\"/>";

const Op& first(const Job& job, const std::string& name) {
  for (const Op& op : job.programs.programs[0].ops)
    if (job.names[op.name] == name) return op;
  FAIL("no operation '" << name << "'");
  return job.programs.programs[0].ops[0];
}

std::int64_t rows_of_experts(const Job& job) {
  const KernelShape& shape = job.programs.shapes[first(job, "experts in").shape];
  return shape.m * shape.batch;
}

constexpr std::int64_t token = 2 * 64;

}  // namespace

TEST_CASE("without a capacity experts take every copy of every token") {
  const Job job = job_of("");
  CHECK(first(job, "ep all-to-all").bytes == 64 * token);
  CHECK(rows_of_experts(job) == 64);
}

TEST_CASE("padded to a capacity of 1.25, all-to-alls and experts are a quarter larger, and even") {
  const Job job = job_of("capacity-factor=\"1.25\" pad-to-capacity=\"on\"");
  CHECK(first(job, "ep all-to-all").bytes == 80 * token);
  CHECK(first(job, "ep all-to-all").split == 0);
  CHECK(rows_of_experts(job) == 80);
}

TEST_CASE("a capacity of a half drops half of what an even gate sends") {
  CHECK(first(job_of("capacity-factor=\"0.5\""), "ep all-to-all").bytes == 32 * token);
  CHECK(rows_of_experts(job_of("capacity-factor=\"0.5\"")) == 32);
}

TEST_CASE("an uneven gate reaches the sizes of the all-to-all: each pair its share of the tokens") {
  const Job job = job_of("", uneven);
  const Op& dispatch = first(job, "ep all-to-all");
  const SplitMatrix& split = job.programs.splits[dispatch.split];
  REQUIRE(split.size == 4);
  for (std::uint32_t from = 0; from < 4; ++from)
    for (std::uint32_t to = 0; to < 4; ++to) {
      const bool is_hot = to == (from == 3 ? 0u : from);
      CHECK(split.share[from * 4 + to] == Approx(is_hot ? 0.7 : 0.1));
    }
  CHECK(dispatch.bytes == 64 * token);
}

TEST_CASE("with a capacity what is beyond it is dropped: no pair sends more, experts work on what is left") {
  // A member's two experts take 2 x 10 of the 64 copies of a GPU: 5/16 of them. 0.7 becomes 0.3125.
  const Job job = job_of("capacity-factor=\"1.25\"", uneven);
  const Op& dispatch = first(job, "ep all-to-all");
  const SplitMatrix& split = job.programs.splits[dispatch.split];
  for (std::uint32_t from = 0; from < 4; ++from) {
    double sum = 0;
    for (std::uint32_t to = 0; to < 4; ++to) {
      sum += split.share[from * 4 + to];
      if (to != from) CHECK(split.share[from * 4 + to] == Approx(from == 3 && to == 0 ? 0.3125 : 0.1));
    }
    CHECK(sum == Approx(1));
  }
  // Each sender keeps 0.3125 + 3 x 0.1 of its 64 copies: 39.2.
  CHECK(rows_of_experts(job) == 40);  // 39 rows over 2 experts, rounded up to whole rows each
}

TEST_CASE("a gate that drifts changes the sizes from micro-batch to micro-batch") {
  const std::string drifting = std::string(uneven).insert(std::string("<gate ").size(), "drift=\"1\" ");
  const Job job = job_of("", drifting);
  std::vector<std::uint16_t> splits;
  for (const Op& op : job.programs.programs[0].ops)
    if (op.kind == OpKind::collective && op.collective == CollectiveType::all_to_all &&
        (splits.empty() || splits.back() != op.split))
      splits.push_back(op.split);
  // Two micro-batches, dispatch and combine of each.
  CHECK(job.programs.splits.size() > 4);
  CHECK(splits.size() >= 4);
}

TEST_CASE("shared experts work on every token of the GPU, in layers with experts only") {
  const Job job =
      job_of("", "", "shared-experts=\"2\" shared-ffn=\"64\" dense-layers=\"1\" dense-ffn=\"512\"");
  const KernelShape& shared = job.programs.shapes[first(job, "shared experts in").shape];
  CHECK((shared.m == 32 && shared.n == 128 && shared.k == 64));
  const KernelShape& dense = job.programs.shapes[first(job, "ffn in").shape];
  CHECK((dense.m == 32 && dense.n == 512 && dense.k == 64));
  int with_experts = 0, without = 0;
  for (const Op& op : job.programs.programs[0].ops) {
    with_experts += job.names[op.name] == "shared experts in";
    without += job.names[op.name] == "ffn in";
  }
  CHECK(with_experts == 2);  // a layer, two micro-batches
  CHECK(without == 2);
}

TEST_CASE("latent attention multiplies queries, keys and values out of their latents") {
  const Job job = job_of("", "", "rope-dim=\"4\" value-dim=\"6\" latent=\"20\" q-latent=\"24\"");
  auto shape = [&](const char* name) { return job.programs.shapes[first(job, name).shape]; };
  auto is = [](const KernelShape& s, std::int64_t n, std::int64_t k) {
    return s.m == 32 && s.n == n && s.k == k;
  };
  CHECK(is(shape("q down"), 24, 64));
  CHECK(is(shape("q up"), 8 * 12, 24));
  CHECK(is(shape("kv down"), 20, 64));
  CHECK(is(shape("kv up"), 8 * (8 + 6), 16));
  CHECK(is(shape("attention out"), 64, 8 * 6));
  // Scores of 12 elements, sums of 6, back as well.
  for (const char* name : {"attention", "attention backward"}) {
    CHECK(shape(name).head_dim == 12);
    CHECK(shape(name).k == 6);
  }
  CHECK(shape("attention").kv_heads == 8);
}

TEST_CASE("exchanges carry the experts of a token and the servers they are on at most") {
  const std::int64_t limit = GENERATE(0, 3);
  const Job job = job_of("expert-exchange=\"deepep\"", "", fmt::format("node-limit=\"{}\"", limit));
  int exchanges = 0;
  for (const Op& op : job.programs.programs[0].ops)
    if (op.kind == OpKind::collective && op.collective == CollectiveType::all_to_all) {
      ++exchanges;
      CHECK(ExpertCounts::of(op.peer).experts == 2);
      CHECK(ExpertCounts::of(op.peer).servers == limit);
    }
  CHECK(exchanges == 16);
}

TEST_CASE("FP8 dispatch sends a byte an element and its scales, what comes back two") {
  // 64 elements: 64 B and one scale of 4 B.
  const Job job = job_of("dispatch=\"fp8\" expert-exchange=\"pairwise\"");
  std::vector<std::int64_t> bytes;
  for (const Op& op : job.programs.programs[0].ops)
    if (op.kind == OpKind::collective && op.collective == CollectiveType::all_to_all) {
      CHECK(op.algorithm == algorithm_named("pairwise"));
      bytes.push_back(op.bytes);
    }
  REQUIRE(bytes.size() == 16);
  for (std::size_t i = 0; i < bytes.size(); ++i) CHECK(bytes[i] == 64 * (i % 2 == 0 ? 68 : 128));
}

TEST_CASE(
    "what is dispatched in FP8 is quantised once, before it is sent, and products take it as it comes") {
  struct Case {
    const char* plan;
    std::vector<std::string> forward, backward;
  };
  const Case c = GENERATE(
      Case{"dtype=\"fp8\" dispatch=\"fp8\"",
           {"router", "permute", "ep all-to-all", "sort by expert", "experts in"},
           {"residual backward", "quantize", "unpermute backward", "ep all-to-all", "sort by expert",
            "experts out dgrad", "transpose gradients", "experts out wgrad", "activation backward",
            "experts in dgrad", "transpose tokens", "experts in wgrad"}},
      Case{"dtype=\"fp8\"",
           {"router", "permute", "ep all-to-all", "sort by expert", "cast", "experts in", "activation",
            "cast", "experts out"},
           {"residual backward", "unpermute backward", "ep all-to-all", "sort by expert", "cast",
            "experts out dgrad", "experts out wgrad", "activation backward", "cast", "experts in dgrad",
            "experts in wgrad"}},
      Case{"dispatch=\"fp8\"",
           {"router", "quantize", "permute", "ep all-to-all", "sort by expert", "dequantize", "experts in"},
           {"residual backward", "quantize", "unpermute backward", "ep all-to-all", "sort by expert",
            "dequantize", "experts out dgrad", "experts out wgrad", "activation backward", "experts in dgrad",
            "experts in wgrad"}});
  CAPTURE(c.plan);
  const Job job = job_of(c.plan);
  auto from = [&](const std::string& begin, std::size_t count) {
    std::vector<std::string> names;
    for (const Op& op : job.programs.programs[0].ops) {
      if (names.size() == count) break;
      if (!names.empty() || job.names[op.name] == begin) names.push_back(job.names[op.name]);
    }
    return names;
  };
  CHECK(from("router", c.forward.size()) == c.forward);
  CHECK(from("residual backward", c.backward.size()) == c.backward);
  // 32 tokens go out, 64 copies of 64 elements come.
  auto bytes = [&](const char* name) { return job.programs.shapes[first(job, name).shape].bytes; };
  const bool is_fp8 = std::string(c.plan).find("dispatch") != std::string::npos;
  CHECK(bytes("permute") == (32 + 64) * (is_fp8 ? 68 : 128));
  CHECK(bytes("unpermute") == (32 + 64) * 128);
  if (is_fp8) CHECK(bytes("quantize") == 32 * 64 * 3);
}

TEST_CASE(
    "FP8 tokens are gathered over the GPUs of an expert as they were dispatched, sums scattered in two "
    "bytes") {
  const MadeJob made = make_job_of(
      "<workload kind=\"training\" sequence=\"32\" tp=\"2\" etp=\"4\" ep=\"2\" global-batch=\"4\" "
      "dispatch=\"fp8\">"
      "<model layers=\"1\" hidden=\"64\" heads=\"8\" ffn=\"128\" vocabulary=\"1000\" experts=\"8\" "
      "active-experts=\"2\"/></workload>",
      8);
  REQUIRE(made.errors.empty());
  const Job& job = made.job;
  // 16 tokens of a GPU to 2 experts, from the four GPUs of an expert.
  std::vector<std::int64_t> gathered, scattered;
  for (const Op& op : job.programs.programs[0].ops) {
    if (op.kind != OpKind::collective || job.groups[op.group.value].name != "etp") continue;
    if (op.collective == CollectiveType::all_gather) gathered.push_back(op.bytes);
    if (op.collective == CollectiveType::reduce_scatter) scattered.push_back(op.bytes);
  }
  CHECK(gathered == std::vector<std::int64_t>{4 * 16 * 2 * 68, 4 * 16 * 2 * 68});
  CHECK(scattered == std::vector<std::int64_t>{4 * 16 * 2 * 128, 4 * 16 * 2 * 128});
}

TEST_CASE(
    "light recomputation repeats norms, activation functions and products out of latents, nothing else") {
  auto count = [](const Job& job, const std::string& name) {
    int times = 0;
    for (const Op& op : job.programs.programs[0].ops) times += job.names[op.name] == name;
    return times;
  };
  const char* latent = "rope-dim=\"4\" value-dim=\"6\" latent=\"20\" q-latent=\"24\"";
  const Job plain = job_of("", "", latent), light = job_of("recompute=\"light\"", "", latent);
  for (const char* name : {"q up", "kv up", "q norm", "kv norm", "activation"})
    CHECK(count(light, name) == 2 * count(plain, name));
  CHECK(count(light, "norm") == 2 * count(plain, "norm") - 2);  // not the last one, before the logits
  for (const char* name : {"attention", "attention out", "q down", "experts in", "ep all-to-all"})
    CHECK(count(light, name) == count(plain, name));
}

TEST_CASE("kernels of uneven experts know what every member receives, over the average; others do not") {
  const std::string plan = GENERATE("uneven-experts=\"on\"", "uneven-experts=\"on\" capacity-factor=\"1.25\"",
                                    "uneven-experts=\"on\" recompute=\"light\"");
  const bool drops = plan.find("capacity") != std::string::npos;
  const Job job = job_of(plan, uneven, "shared-experts=\"1\"");
  const Op& product = first(job, "experts in");
  CHECK(job.groups[product.group.value].name == "ep");
  const SplitMatrix& load = job.programs.splits[product.split];
  REQUIRE(load.size == 4);
  // Columns of the gate: 1.6, 1.0, 1.0, 0.4; with 0.3125 at most instead of 0.7 over 0.6125.
  const double expected[4] = {drops ? 0.825 / 0.6125 : 1.6, drops ? 0.6125 / 0.6125 : 1, drops ? 1.0 : 1,
                              drops ? 0.4 / 0.6125 : 0.4};
  for (std::uint32_t to = 0; to < 4; ++to) {
    double sum = 0;
    for (std::uint32_t from = 0; from < 4; ++from) sum += load.share[from * 4 + to];
    CHECK(sum == Approx(expected[to]));
  }
  for (const Op& op : job.programs.programs[0].ops) {
    if (op.kind != OpKind::compute) continue;
    const bool is_experts = job.names[op.name].rfind("experts ", 0) == 0;
    if (is_experts) CHECK(op.split != 0);
    if (job.names[op.name].rfind("shared", 0) == 0 || job.names[op.name] == "qkv") CHECK(op.split == 0);
  }
  const Job even = job_of("", uneven);
  for (const Op& op : even.programs.programs[0].ops)
    if (op.kind == OpKind::compute) CHECK(op.split == 0);
}
