#include "workloads/generate/training/fold_plan.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/training/training_plan.hpp"

using namespace lightrail;

namespace {

MadeJob made(const std::string& plan, std::uint32_t gpus, const std::string& model = "") {
  return make_job_of(
      "<workload kind=\"training\" sequence=\"32\" " + plan + ">" + small_model(model) + "</workload>", gpus);
}

const GroupKind& kind(const Job& job, const std::string& name) {
  for (const GroupKind& one : job.groups)
    if (one.name == name) return one;
  FAIL("no group " << name);
  return job.groups.front();
}

/// Bytes of the collectives over replicas, of every program.
std::vector<std::int64_t> reductions(const Job& job) {
  std::vector<std::int64_t> all;
  for (const Program& program : job.programs.programs)
    for (const Op& op : program.ops)
      if (op.kind == OpKind::collective && job.dimensions[op.dimension] == "dp") all.push_back(op.bytes);
  return all;
}

}  // namespace

// The system of make_job_of() has servers of 8 GPUs.
TEST_CASE("folded replicas reduce what all of them would") {
  const auto plan = GENERATE(std::string("tp=\"2\" pp=\"2\""), std::string("pp=\"2\" schedule=\"dualpipe\""),
                             std::string("ep=\"4\""));
  const std::string model = plan == "ep=\"4\"" ? "experts=\"8\" active-experts=\"2\"" : "";
  const MadeJob whole = made(plan + " global-batch=\"512\"", 128, model),
                part = made(plan + " global-batch=\"512\" fold=\"4\"", 32, model);
  REQUIRE(whole.errors == std::vector<std::string>{});
  REQUIRE(part.errors == std::vector<std::string>{});
  CHECK(reductions(part.job) == reductions(whole.job));
  std::vector<std::string> names{"dp"};
  if (!model.empty()) names.emplace_back("expert-dp");
  for (const std::string& name : names) {
    CHECK(kind(part.job, name).stands_for == 4);
    CHECK(kind(part.job, name).size() * 4 == kind(whole.job, name).size());
    CHECK(kind(whole.job, name).stands_for == 1);
  }
  for (const GroupKind& other : part.job.groups)
    if (other.name != "dp" && other.name != "expert-dp") CHECK(other.stands_for == 1);
  REQUIRE(part.job.programs.programs.size() == whole.job.programs.programs.size());
  for (std::size_t p = 0; p < part.job.programs.programs.size(); ++p) {
    CHECK(part.job.programs.programs[p].ops.size() == whole.job.programs.programs[p].ops.size());
    CHECK(part.job.programs.programs[p].memory_bytes == whole.job.programs.programs[p].memory_bytes);
  }
  REQUIRE_FALSE(part.job.notes.empty());
  CHECK(part.job.notes.back().find("data-parallel replicas stands for 4 (fold)") != std::string::npos);
}

TEST_CASE("what cannot be folded is refused") {
  struct Bad {
    const char* plan;
    const char* model;
    std::uint32_t gpus;
    const char* message;
  };
  const auto bad = GENERATE(
      Bad{"fold=\"2\" shard-parameters=\"on\"", "", 16, "fold with shard-parameters=\"on\""},
      Bad{"fold=\"2\" tp=\"8\"", "", 8, "fold = 2 leaves one replica, which has nobody to reduce with"},
      Bad{"fold=\"2\" ep=\"8\"", "experts=\"8\" active-experts=\"2\"", 8,
          "fold = 2 leaves one GPU for each part of an expert, which has nobody to reduce with"},
      Bad{"fold=\"2\"", "", 8,
          "fold = 2 with groups 'dp' of 8 on one server (expected replicas on two servers"},
      Bad{"fold=\"0\"", "", 16, "'0' is out of range (1 ..."});
  const MadeJob job = made(std::string(bad.plan) + " global-batch=\"512\"", bad.gpus, bad.model);
  CAPTURE(bad.plan, job.errors);
  REQUIRE(job.errors.size() == 1);
  CHECK(job.errors[0].find(bad.message) != std::string::npos);
}
