#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"

using namespace lightrail;
using Errors = std::vector<std::string>;

TEST_CASE("a workload has one kind, one element and a GPU") {
  CHECK(make_job_of("<workload/>", 8).errors == Errors{"1: <workload> lacks the required attribute 'kind'"});
  CHECK_THAT(make_job_of("<workload kind=\"colective\"/>", 8).errors.at(0),
             Catch::StartsWith("1: <workload> attribute 'kind': invalid choice 'colective'") &&
                 Catch::Contains("did you mean 'collective'"));
  CHECK(make_job_of("<workload kind=\"explicit\"/>", 0).errors ==
        Errors{"1: the system has no GPU to run the workload"});
  CHECK(make_job_of("<workload kind=\"explicit\" iterations=\"0\"/>", 1).errors ==
        Errors{"1: <workload> attribute 'iterations': '0' is out of range (1 ...)"});
}

TEST_CASE("without a workload every GPU is idle") {
  MadeJob made = make_job_of("", 3);
  REQUIRE(made.errors == Errors{});
  CHECK(made.job.programs.program_of_gpu == std::vector<std::uint32_t>{0, 0, 0});
  CHECK(made.job.programs.programs[0].ops.empty());
}
