// Evaluation: the way forward alone, behind each so many-th update.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/training/expected_traffic.hpp"

using namespace lightrail;

namespace {

MadeJob evaluating(const std::string& plan, std::uint32_t gpus, const std::string& model = "") {
  return make_job_of("<workload kind=\"training\" global-batch=\"16\" sequence=\"64\" " + plan + ">" +
                         small_model(model) + "</workload>",
                     gpus);
}

/// Names of the operations of program `p`, of all iterations or of evaluation alone.
std::vector<std::string> names(const Job& job, std::size_t p, bool is_evaluation) {
  std::vector<std::string> all;
  for (const Op& op : job.programs.programs[p].ops)
    if ((op.every > 1) == is_evaluation) all.push_back(job.names[op.name]);
  return all;
}

std::size_t count(const std::vector<std::string>& all, const std::string& name) {
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), name));
}

}  // namespace

TEST_CASE("an evaluation goes forward through all layers, as often as it has batches") {
  const MadeJob made = evaluating("pp=\"2\" eval-interval=\"5\" eval-iters=\"3\"", 4);
  REQUIRE(made.errors == std::vector<std::string>{});
  for (std::size_t stage = 0; stage < 2; ++stage) {
    const auto training = names(made.job, stage, false), evaluation = names(made.job, stage, true);
    // Eight micro-batches a step, two layers a stage.
    CHECK(count(training, "qkv") == 8 * 2);
    CHECK(count(evaluation, "qkv") == 3 * 8 * 2);
    CHECK(count(evaluation, "qkv dgrad") == 0);
    CHECK(count(evaluation, "qkv wgrad") == 0);
    CHECK(count(evaluation, "evaluate 7") == 3);
    CHECK(count(evaluation, stage == 0 ? "pp send" : "pp recv") == 3 * 8);
    CHECK(count(evaluation, stage == 0 ? "pp recv" : "pp send") == 0);
    CHECK(count(evaluation, "logits") == (stage == 1 ? 3 * 8 : 0));
  }
  for (const Op& op : made.job.programs.programs[0].ops)
    if (op.every > 1) CHECK((op.every == 5 && op.turn == 4));
  // The mean of the loss, by the last stage alone.
  const auto& last = made.job.programs.programs[1].ops.back();
  CHECK((last.kind == OpKind::collective && last.bytes == 4 && last.every == 5));
}

TEST_CASE("what a step does is the same with and without evaluation") {
  for (const char* plan :
       {"pp=\"2\" chunks=\"2\"", "pp=\"2\" schedule=\"dualpipe\"", "pp=\"2\" schedule=\"zb-h1\"",
        "overlap-parameters=\"on\" tp=\"2\"", "shard-parameters=\"on\"", "offload-layers=\"1\""}) {
    const MadeJob made = evaluating(std::string(plan) + " eval-interval=\"2\"", 4);
    const MadeJob alone = evaluating(plan, 4);
    INFO(plan);
    REQUIRE(made.errors == std::vector<std::string>{});
    CHECK(names(made.job, 0, false) == names(alone.job, 0, false));
    CHECK(count(names(made.job, 0, true), "offload activations") == 0);
    // As many layers as the way forward of a step.
    CHECK(count(names(made.job, 0, true), "qkv") == count(names(alone.job, 0, false), "qkv"));
  }
}

TEST_CASE("an evaluation gathers the parameters that are not here") {
  const auto gathers = [](const std::string& plan) {
    const MadeJob made = evaluating(plan + " eval-interval=\"2\" eval-iters=\"2\"", 4);
    REQUIRE(made.errors == std::vector<std::string>{});
    std::int64_t bytes = 0;
    for (const Op& op : made.job.programs.programs[0].ops)
      if (op.every > 1 && op.collective == CollectiveType::all_gather &&
          made.job.dimensions[op.dimension] == "dp")
        bytes += op.bytes;
    return bytes;
  };
  CHECK(gathers("") == 0);  // after the update
  const std::int64_t whole = gathers("overlap-parameters=\"on\" overlap-gradients=\"on\"");
  CHECK(whole > 0);  // once, whatever the number of batches
  // FSDP: in each of 2 x 4 micro-batches.
  CHECK(gathers("shard-parameters=\"on\"") == 2 * 4 * whole);
}

TEST_CASE("bytes of a job count evaluations as often as they take place") {
  const auto bytes = [](const std::string& plan) {
    MadeJob made = evaluating("tp=\"2\" iterations=\"10\" " + plan, 2);
    REQUIRE(made.errors == std::vector<std::string>{});
    made.job.programs.iterations = 10;
    return expected_traffic(made.job)[0];
  };
  const std::int64_t none = bytes(""), each = bytes("eval-interval=\"1\"") - none;
  CHECK(each > 0);
  CHECK(bytes("eval-interval=\"5\"") - none == each / 5);
  CHECK(bytes("eval-interval=\"4\"") - none == each / 5);  // behind steps 4 and 8 of 10
  CHECK(bytes("eval-interval=\"11\"") == none);
}

TEST_CASE("an evaluation that cannot be is refused") {
  const auto first = [](const std::string& plan) {
    const MadeJob made = evaluating(plan, 4, "experts=\"8\" active-experts=\"2\"");
    return made.errors.empty() ? std::string() : made.errors[0];
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(has(first("eval-iters=\"2\""), "eval-iters without an eval-interval"));
  CHECK(has(first("ep=\"4\" expert-balance=\"forced\" eval-interval=\"2\""), "eval-interval with a <gate>"));
  CHECK(
      has(first("eval-interval=\"2\" step-over=\"pipeline\""), "eval-interval with step-over=\"pipeline\""));
}
