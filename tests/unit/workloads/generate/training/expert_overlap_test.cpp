#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"

using namespace lightrail;

namespace {

constexpr const char* experts =
    "<model layers=\"4\" hidden=\"64\" heads=\"8\" ffn=\"128\" vocabulary=\"1000\" experts=\"8\" "
    "active-experts=\"2\"/>";

MadeJob made(const std::string& plan, std::uint32_t gpus) {
  return make_job_of(
      "<workload kind=\"training\" sequence=\"32\" ep=\"4\" " + plan + ">" + experts + "</workload>", gpus);
}

Job job_of(const std::string& plan, std::uint32_t gpus) {
  MadeJob job = made(plan, gpus);
  REQUIRE(job.errors == std::vector<std::string>{});
  return std::move(job.job);
}

/// Names of the operations that are no markers, sorted.
std::vector<std::string> sorted_names(const Job& job, const Program& program) {
  std::vector<std::string> names;
  for (const Op& op : program.ops)
    if (op.kind != OpKind::marker) names.push_back(job.names[op.name] + " " + std::to_string(op.bytes));
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("overlapped exchanges: the same operations as without, each after what it takes") {
  const char* plan =
      GENERATE("global-batch=\"16\"", "global-batch=\"16\" overlap-gradients=\"on\" dtype=\"fp8\"",
               "global-batch=\"32\" tp=\"2\" etp=\"1\" overlap-parameters=\"on\"",
               "global-batch=\"16\" pp=\"2\" chunks=\"2\" recompute=\"modules\" "
               "recompute-modules=\"moe_act layernorm\"");
  CAPTURE(plan);
  const Job plain = job_of(plan, 8), overlapped = job_of(plan + std::string(" overlap-experts=\"on\""), 8);
  REQUIRE(plain.programs.programs.size() == overlapped.programs.programs.size());
  for (std::size_t stage = 0; stage < plain.programs.programs.size(); ++stage) {
    const Program& program = overlapped.programs.programs[stage];
    CHECK(sorted_names(plain, plain.programs.programs[stage]) == sorted_names(overlapped, program));
    for (std::uint32_t i = 0; i < program.ops.size(); ++i)
      for (std::uint32_t d = 0; d < program.ops[i].dependency_count; ++d)
        REQUIRE(program.dependencies[program.ops[i].first_dependency + d] < i);
  }
}

TEST_CASE("overlapped exchanges: after an exchange the other pass has its turn, up to its own next one") {
  const Job job = job_of("global-batch=\"32\"", 8),
            together = job_of("global-batch=\"32\" overlap-experts=\"on\"", 8);
  // Kernels that lie between two exchanges that follow one another in the program. Without overlap each
  // exchange of a layer has the kernels of its own pass behind it alone; with it, those of both.
  auto exchanges = [](const Job& of) {
    const Program& program = of.programs.programs[0];
    std::vector<std::vector<std::string>> runs(1);
    for (const Op& op : program.ops) {
      if (op.kind == OpKind::compute) runs.back().push_back(of.names[op.name]);
      if (op.kind == OpKind::collective && op.collective == CollectiveType::all_to_all) runs.emplace_back();
    }
    return runs;
  };
  const auto plain = exchanges(job), paired = exchanges(together);
  REQUIRE(plain.size() == paired.size());
  // 4 micro-batches of a GPU, 4 layers, 4 exchanges: and what is before the first.
  CHECK(plain.size() == 4 * 4 * 4 + 1);
  // The second micro-batch goes forward beside the way back of the first, which has the first turn: up to the
  // first exchange of its last layer, after the first micro-batch's 2 x 4 exchanges.
  auto has = [](const std::vector<std::string>& run, const std::string& name) {
    return std::find(run.begin(), run.end(), name) != run.end();
  };
  CHECK(has(paired[8], "logits dgrad"));
  CHECK_FALSE(has(paired[8], "experts in dgrad"));
  // Then as in DualPipe's figure: attention forward, experts back beside the dispatch of the way forward, its
  // experts beside the dispatch of the way back, attention back beside its combine.
  const char* const kernels[] = {"attention", "experts in dgrad", "experts in", "attention backward"};
  for (std::size_t layer = 0; layer < 4; ++layer)
    for (std::size_t turn = 0; turn < 4; ++turn)
      for (std::size_t kernel = 0; kernel < 4; ++kernel) {
        CAPTURE(layer, turn, kernels[kernel]);
        CHECK(has(paired[9 + 4 * layer + turn], kernels[kernel]) == (kernel == turn));
      }
}

TEST_CASE("overlapped exchanges: what they cannot be joined with is refused") {
  struct Bad {
    const char* plan;
    const char* message;
  };
  const auto bad = GENERATE(Bad{"pp=\"2\"", "with pp = 2 and chunks = 1 (expected chunks > 1"},
                            Bad{"pp=\"2\" schedule=\"zb-h1\"", "with another schedule than 1f1b"},
                            Bad{"recompute=\"full\"", "overlap-experts=\"on\" with recompute=\"full\""},
                            Bad{"shard-parameters=\"on\"", "overlap-experts=\"on\" with shard-parameters"},
                            Bad{"offload-layers=\"1\"", "overlap-experts=\"on\" with offload-layers"});
  CAPTURE(bad.plan);
  const MadeJob job = made(std::string("global-batch=\"32\" overlap-experts=\"on\" ") + bad.plan, 8);
  REQUIRE(job.errors.size() >= 1);
  CHECK(std::any_of(job.errors.begin(), job.errors.end(),
                    [&](const std::string& error) { return error.find(bad.message) != std::string::npos; }));
}

TEST_CASE("overlapped exchanges: without expert parallelism there is none to hide") {
  const MadeJob job = make_job_of(
      "<workload kind=\"training\" sequence=\"32\" global-batch=\"8\" overlap-experts=\"on\"><model "
      "layers=\"4\" "
      "hidden=\"64\" heads=\"8\" ffn=\"128\" vocabulary=\"1000\"/></workload>",
      8);
  REQUIRE(job.errors.size() == 1);
  CHECK(job.errors[0].find("without expert parallelism (no exchange to hide)") != std::string::npos);
}
