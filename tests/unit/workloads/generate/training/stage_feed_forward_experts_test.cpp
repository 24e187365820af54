#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"

using namespace lightrail;

namespace {

// 4 members with 2 experts each, 32 tokens of a GPU to 2 experts each: 64 rows of 64 elements.
constexpr std::int64_t rows = 64, hidden = 64, ffn = 128;

Job job_of(const std::string& plan, const std::string& model, std::uint32_t gpus = 4) {
  MadeJob made =
      make_job_of(std::string("<workload kind=\"training\" ") +
                      (plan.find("global-batch") == std::string::npos ? "global-batch=\"8\" " : "") +
                      (plan.find("sequence") == std::string::npos ? "sequence=\"32\" " : "") + plan +
                      "><model layers=\"2\" hidden=\"64\" heads=\"8\" ffn=\"128\" "
                      "vocabulary=\"1000\" active-experts=\"2\" " +
                      (model.find("experts=\"16\"") == std::string::npos ? "experts=\"8\" " : "") + model +
                      "/></workload>",
                  gpus);
  REQUIRE(made.errors == std::vector<std::string>{});
  return std::move(made.job);
}

/// Shapes of the kernels of that name, in the order of the program.
std::vector<KernelShape> shapes(const Job& job, const std::string& name) {
  std::vector<KernelShape> all;
  for (const Op& op : job.programs.programs[0].ops)
    if (job.names[op.name] == name) all.push_back(job.programs.shapes[op.shape]);
  return all;
}

std::vector<std::string> names_of(const Job& job) {
  std::vector<std::string> all;
  for (const Op& op : job.programs.programs[0].ops) all.push_back(job.names[op.name]);
  return all;
}

KernelShape only_kind(const Job& job, const std::string& name) {
  const std::vector<KernelShape> all = shapes(job, name);
  REQUIRE_FALSE(all.empty());
  return all[0];
}

}  // namespace

TEST_CASE(
    "what arrives is sorted by expert and back, twice a layer and pass, where a GPU has several experts") {
  // Read and written, 2 bytes an element; 2 layers, 2 micro-batches, forward and backward.
  for (const char* name : {"sort by expert", "sort by sender"}) {
    CHECK(shapes(job_of("ep=\"4\"", ""), name).size() == 2 * 2 * 2);
    CHECK(only_kind(job_of("ep=\"4\"", ""), name).bytes == 2 * 2 * rows * hidden);
    CHECK(shapes(job_of("ep=\"8\"", "", 8), name).empty());  // one expert each
    CHECK(shapes(job_of("ep=\"1\"", ""), name).empty());
    CHECK(shapes(job_of("ep=\"4\" expert-exchange=\"deepep\"", ""), name).empty());
  }
}

TEST_CASE("DeepEP and HybridEP permute what came once a token, NCCL what is sent") {
  // Of 4 members a token with 2 experts comes to 4 (1 - (3/4)^2) = 1.75: 56 of 32, for 64 copies.
  const std::int64_t arrived = 56, sent = 32;
  for (const char* exchange : {"auto", "deepep", "hybridep"}) {
    CAPTURE(exchange);
    const bool is_nccl = std::string(exchange) == "auto";
    const Job job = job_of(std::string("ep=\"4\" expert-exchange=\"") + exchange + "\"", "");
    const std::int64_t bytes = 2 * hidden * ((is_nccl ? sent : arrived) + rows);
    for (const char* name : {"permute", "unpermute", "unpermute backward", "permute backward"}) {
      CAPTURE(name);
      CHECK(shapes(job, name).size() == 4);
      CHECK(only_kind(job, name).bytes == bytes);
    }
    const std::vector<std::string> names = names_of(job);
    const auto after = [&](const char* name) {
      return names[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin() + 1)];
    };
    CHECK((after("permute") == "ep all-to-all") == is_nccl);
    CHECK((after("unpermute") == "ep all-to-all") != is_nccl);
    CHECK((after("unpermute backward") == "ep all-to-all") == is_nccl);
    CHECK((after("permute backward") == "ep all-to-all") != is_nccl);
  }
}

TEST_CASE("HybridEP gathers a map of all members' tokens forward, and copies tokens to send over servers") {
  const auto gathered = [](const Job& job) {
    std::vector<std::int64_t> bytes;
    for (const Op& op : job.programs.programs[0].ops)
      if (op.kind == OpKind::collective && job.names[op.name] == "ep all-gather") bytes.push_back(op.bytes);
    return bytes;
  };
  const Job one = job_of("ep=\"4\" expert-exchange=\"hybridep\"", "");
  // A byte for each of 8 experts and 4 x 32 tokens, 2 layers, 2 micro-batches.
  CHECK(gathered(one) == std::vector<std::int64_t>(4, 4 * 32 * 8));
  CHECK(only_kind(one, "routing scan").bytes == 4 * 32 * 8);
  CHECK(shapes(one, "copy to buffers").empty());
  CHECK(gathered(job_of("ep=\"4\" expert-exchange=\"deepep\"", "")).empty());
  // Computed again, they are gathered again.
  CHECK(gathered(job_of("ep=\"4\" expert-exchange=\"hybridep\" recompute=\"full\"", "")).size() == 8);
  // Sixteen members on two servers of eight; dispatches of tokens and of gradients, read and written.
  const Job two = job_of("ep=\"16\" expert-exchange=\"hybridep\" global-batch=\"16\"", "experts=\"16\"", 16);
  CHECK(shapes(two, "copy to buffers").size() == 2 * 2);
  CHECK(only_kind(two, "copy to buffers").bytes == 2 * 2 * 32 * hidden);
}

TEST_CASE("biases of experts are added expert by expert, in FP32") {
  const Job job = job_of("ep=\"4\"", "biases=\"on\"");
  // 4 the product; 2 + 4 read and 4 written by the sum; 4 + 4 by joining; 4 + 2 by the cast.
  const KernelShape forward = only_kind(job, "expert biases");
  CHECK(forward.bytes == 28 * rows * hidden);
  CHECK(forward.batch == 2 * 2 + 2);
  const KernelShape backward = only_kind(job, "expert biases backward");
  CHECK(backward.bytes == 40 * rows * hidden);
  CHECK(backward.batch == 5 * 2 + 2);
  CHECK(shapes(job_of("ep=\"4\"", ""), "expert biases").empty());
}

TEST_CASE("a clamped activation costs three kernels more each way, of experts and of shared ones") {
  const Job job = job_of("ep=\"4\"", "gated=\"on\" clamped=\"on\" shared-experts=\"1\" shared-ffn=\"16\"");
  std::vector<std::int64_t> forward, backward;
  for (const KernelShape& s : shapes(job, "clamp")) forward.push_back(s.bytes);
  for (const KernelShape& s : shapes(job, "clamp backward")) backward.push_back(s.bytes);
  REQUIRE(forward.size() == 2 * 2 * 2);
  REQUIRE(backward.size() == 2 * 2 * 2);
  CHECK((forward[0] == 16 * 32 * 16 && forward[1] == 16 * rows * ffn));
  CHECK((backward[0] == 20 * 32 * 16 && backward[1] == 20 * rows * ffn));
  CHECK(only_kind(job, "clamp").batch == 3);
  // Norms and activations again: one clamp a layer and micro-batch more.
  const Job light = job_of("ep=\"4\" recompute=\"light\"",
                           "gated=\"on\" clamped=\"on\" shared-experts=\"1\" shared-ffn=\"16\"");
  CHECK(shapes(light, "clamp").size() == 2 * forward.size());
}

TEST_CASE("with FP8 products each expert's inputs are cast one by one, its activation and gradients too") {
  std::vector<std::int64_t> bytes;
  for (const KernelShape& s : shapes(job_of("ep=\"4\" dtype=\"fp8\"", "gated=\"on\""), "cast"))
    if (s.batch == 2) bytes.push_back(s.bytes);
  // A byte in each layout for two: tokens, activation; gradients of outputs and of both inner halves.
  REQUIRE(bytes.size() == 2 * 2 * 4);
  CHECK(bytes[0] == 4 * rows * hidden);
  CHECK(bytes[1] == 4 * rows * ffn);
  const auto n = bytes.size();
  CHECK(bytes[n - 2] == 4 * rows * hidden);
  CHECK(bytes[n - 1] == 4 * rows * 2 * ffn);
  for (const KernelShape& s : shapes(job_of("ep=\"4\" dtype=\"fp8\" dispatch=\"fp8\"", ""), "cast"))
    CHECK(s.batch == 1);
}

TEST_CASE("with a window every full-every-th layer sees all keys, the others the window and a block") {
  const Job job = job_of("ep=\"4\" sequence=\"512\"", "window=\"128\" full-every=\"2\"");
  const std::vector<KernelShape> all = shapes(job, "attention");
  REQUIRE(all.size() >= 2);
  CHECK((all[0].m == 512 && all[0].n == 128 + 128 && all[0].causal == 0));
  CHECK((all[1].m == 512 && all[1].n == 512 && all[1].causal == 1));
  const std::vector<KernelShape> backward = shapes(job, "attention backward");
  CHECK((backward[0].n == 512 && backward[1].n == 256));
  // A window that holds the sequence changes nothing.
  CHECK(only_kind(job_of("ep=\"4\"", "window=\"128\""), "attention").causal == 1);
}

TEST_CASE("norms of heads read and write queries and keys, and have a parameter an element of a head each") {
  const Job job = job_of("ep=\"4\"", "qk-norm=\"on\" kv-heads=\"2\"");
  const KernelShape forward = only_kind(job, "qk norm"), backward = only_kind(job, "qk norm backward");
  CHECK((forward.bytes == 2 * 2 * 32 * (64 + 16) && forward.batch == 2));
  CHECK((backward.bytes == 3 * 2 * 32 * (64 + 16) && backward.batch == 2));
  Transformer plain = catalogue_model("llama3_8b"), with = plain;
  with.qk_norm = true;
  CHECK(with.total_parameters() == plain.total_parameters() + 32 * 2 * 128);
}
