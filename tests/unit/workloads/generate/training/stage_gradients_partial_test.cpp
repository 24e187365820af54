#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"

using namespace lightrail;

namespace {

constexpr const char* shape = "layers=\"8\" hidden=\"64\" heads=\"8\" ffn=\"128\" vocabulary=\"1000\" ";

/// All-reduces over tp that follow the last reduce-scatter over dp, of every stage's program [B].
std::vector<std::vector<std::int64_t>> sums_of(const std::string& plan, const std::string& model,
                                               std::uint32_t gpus) {
  const MadeJob made = make_job_of(
      "<workload kind=\"training\" sequence=\"32\" " + plan + "><model " + shape + model + "/></workload>",
      gpus);
  REQUIRE(made.errors == std::vector<std::string>{});
  const Job& job = made.job;
  std::vector<std::vector<std::int64_t>> all;
  for (const Program& program : job.programs.programs) {
    std::vector<std::int64_t> sums;
    for (const Op& op : program.ops) {
      if (op.kind != OpKind::collective) continue;
      const std::string& dimension = job.dimensions[op.dimension];
      if (dimension == "dp" && op.collective == CollectiveType::reduce_scatter) sums.clear();
      if (dimension == "tp" && op.collective == CollectiveType::all_reduce) sums.push_back(op.bytes);
    }
    all.push_back(sums);
  }
  return all;
}

using Sums = std::vector<std::vector<std::int64_t>>;

}  // namespace

// A stage of four layers, hidden 64, FP32. Biases: norms have 2 x 64 parameters, and after attention and
// feed-forward 64 each are added to sums: 4 (2 x 128 + 2 x 64) 4 B; the last stage has a norm more, 512 B.
TEST_CASE("gradients that each GPU has for its part of the sequence are summed over tp once a step") {
  const std::string plan = "tp=\"2\" pp=\"2\" global-batch=\"8\" ", biases = "biases=\"on\"";
  const char* more =
      GENERATE("", "overlap-gradients=\"on\"", "overlap-gradients=\"on\" bucket-size=\"10000\"",
               "schedule=\"zb-h1\"", "chunks=\"2\"", "recompute=\"full\"");
  CAPTURE(more);
  CHECK(sums_of(plan + more, biases, 8) == Sums{{6144}, {6656}});
  CHECK(sums_of(plan + more + " gradients=\"bf16\"", biases, 8) == Sums{{3072}, {3328}});
  // Without biases norms have 64 parameters, a router of 8 experts has 512.
  CHECK(sums_of(plan + more, "experts=\"8\" active-experts=\"2\"", 8) ==
        Sums{{4 * (2 * 64 + 512) * 4}, {4 * (2 * 64 + 512) * 4 + 256}});
}

// Two further predictions are two layers, projections of 2 x 64 x 64 and three norms each.
TEST_CASE("... those of projections too, and with both directions of a pipeline those of both") {
  CHECK(sums_of("tp=\"2\" pp=\"2\" global-batch=\"8\"", "mtp-layers=\"2\"", 8) ==
        Sums{{4 * 128 * 4}, {(6 * 128 + 64 + 2 * (8192 + 192)) * 4}});
  CHECK(sums_of("tp=\"2\" pp=\"2\" global-batch=\"16\" schedule=\"dualpipe\"", "", 8) ==
        Sums{{(8 * 128 + 64) * 4}, {(8 * 128 + 64) * 4}});
}

TEST_CASE("with FSDP each GPU sums the gradients of the part that it keeps") {
  CHECK(sums_of("tp=\"2\" global-batch=\"4\" shard-parameters=\"on\" shard=\"2\"", "", 8) ==
        Sums{{(8 * 128 + 64) / 2 * 4}});
}

TEST_CASE("whole sequences leave nothing to sum over tp") {
  CHECK(sums_of("tp=\"2\" pp=\"2\" global-batch=\"8\" sequence-parallel=\"off\"", "", 8) == Sums{{}, {}});
  CHECK(sums_of("pp=\"2\" global-batch=\"8\"", "", 8) == Sums{{}, {}});
}
