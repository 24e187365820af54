#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"

using namespace lightrail;

namespace {

MadeJob training(const std::string& more, std::uint32_t gpus, int batch) {
  return make_job_of("<workload kind=\"training\" global-batch=\"" + std::to_string(batch) +
                         "\" sequence=\"64\" " + more + ">" + small_model("") + "</workload>",
                     gpus);
}

struct Loading {
  std::vector<std::uint32_t> loads, copies, taken;  ///< operations of a program
  explicit Loading(const Job& job, std::size_t program) {
    const auto& ops = job.programs.programs[program].ops;
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind == OpKind::host) loads.push_back(i);
      if (ops[i].kind == OpKind::host_copy) copies.push_back(i);
      if (ops[i].kind == OpKind::marker && job.names[ops[i].name] == "batch") taken.push_back(i);
    }
  }
};

std::vector<std::uint32_t> before(const Program& program, std::uint32_t op) {
  const Op& o = program.ops[op];
  return {program.dependencies.begin() + o.first_dependency,
          program.dependencies.begin() + o.first_dependency + o.dependency_count};
}

}  // namespace

TEST_CASE("without a loading time data are there") {
  const MadeJob made = training("", 1, 4);
  REQUIRE(made.errors == std::vector<std::string>{});
  CHECK(Loading(made.job, 0).loads.empty());
  CHECK(Loading(made.job, 0).copies.empty());
}

TEST_CASE("a micro-batch is copied when it was made, and made when the one so many before it was taken") {
  const MadeJob made = training("loading-time=\"3 ms\" loading-ahead=\"2\"", 1, 4);
  REQUIRE(made.errors == std::vector<std::string>{});
  const Program& program = made.job.programs.programs[0];
  const Loading found(made.job, 0);
  REQUIRE(found.loads.size() == 4);
  REQUIRE(found.copies.size() == 4);
  REQUIRE(found.taken.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(program.ops[found.loads[i]].duration == milliseconds(3));
    CHECK(program.ops[found.copies[i]].bytes == 64 * (8 + 8));  // tokens and labels
    CHECK(before(program, found.loads[i]) == std::vector<std::uint32_t>{found.taken[i]});
    CHECK(before(program, found.taken[i]).back() == found.copies[i]);
    // The first two were made beside the step before.
    CHECK(before(program, found.copies[i]) ==
          (i < 2 ? std::vector<std::uint32_t>{} : std::vector<std::uint32_t>{found.loads[i - 2]}));
  }
}

TEST_CASE("tokens go to the first stage, labels to the last") {
  for (const std::string schedule : {"1f1b", "zb-h1", "dualpipe"}) {
    INFO(schedule);
    const MadeJob made =
        training("loading-time=\"3 ms\" tp=\"2\" pp=\"4\" schedule=\"" + schedule + "\"", 8, 24);
    REQUIRE(made.errors == std::vector<std::string>{});
    for (std::size_t stage = 0; stage < 4; ++stage) {
      const Program& program = made.job.programs.programs[stage];
      const Loading found(made.job, stage);
      CHECK(found.copies.size() == (stage == 0 || stage == 3 ? 24 : 0));
      for (std::uint32_t copy : found.copies) CHECK(program.ops[copy].bytes == 64 * 8);
      for (std::size_t i = 0; i < found.loads.size(); ++i) {
        CHECK(before(program, found.loads[i]) == std::vector<std::uint32_t>{found.taken[i]});
        if (i >= 2) CHECK(before(program, found.copies[i]) == std::vector<std::uint32_t>{found.loads[i - 2]});
      }
    }
  }
}
