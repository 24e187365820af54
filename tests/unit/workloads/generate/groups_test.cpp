#include <catch2/catch.hpp>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/job/workload_context.hpp"

using namespace lightrail;
using Errors = std::vector<std::string>;

TEST_CASE("a list of GPUs is numbers, ranges or all") {
  std::vector<std::uint32_t> gpus;
  CHECK(parse_gpu_list("0-2, 7", 8, gpus) == "");
  CHECK(gpus == std::vector<std::uint32_t>{0, 1, 2, 7});
  gpus.clear();
  CHECK(parse_gpu_list("all", 3, gpus) == "");
  CHECK(gpus == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(parse_gpu_list("0-8", 8, gpus) == "gpu 8 does not exist (the system has 8 GPUs)");
  CHECK(parse_gpu_list("3-1", 8, gpus) == "range '3-1' runs backwards");
  for (const char* bad : {"", "a", "1-", "-1", "1,,2", "99999999999", "1.5"})
    CHECK(parse_gpu_list(bad, 8, gpus) ==
          "invalid list of GPUs '" + std::string(bad) + "' (expected numbers and ranges: 0-7,16 or all)");
}

TEST_CASE("groups are regular, of digits, or listed, and world is always there") {
  MadeJob made = make_job_of(
      "<groups><group name=\"tp\" count=\"2\"/><group name=\"mixed\"><digit count=\"2\"/><digit count=\"2\" "
      "stride=\"4\"/></group>"
      "<group name=\"mine\"><members gpus=\"0,5\"/><members gpus=\"1-3\"/></group></groups>",
      8);
  REQUIRE(made.errors == Errors{});
  REQUIRE(made.job.groups.size() == 4);
  CHECK(made.job.groups[0].name == "world");
  CHECK(group_size(made.job.groups[0]) == 8);
  CHECK(made.job.groups[1].digits[0].count == 2);
  CHECK(group_size(made.job.groups[2]) == 4);
  CHECK(made.job.groups[3].listed[1][2] == EndpointId{3});
  CHECK(group_size(made.job.groups[3]) == 2);
}

TEST_CASE("a wrong group is refused with its line") {
  auto errors = [](const std::string& groups) {
    return make_job_of("<groups>" + groups + "</groups>", 8).errors;
  };
  CHECK(errors("<group count=\"2\"/>") == Errors{"1: <group> lacks the required attribute 'name'"});
  CHECK(errors("<group name=\"a\"/>") ==
        Errors{"1: group 'a' needs one of: count and stride, <digit> elements, <members> elements"});
  CHECK(errors("<group name=\"a\" count=\"2\"/>\n<group name=\"a\" count=\"2\"/>") ==
        Errors{"2: group 'a' is declared twice"});
  CHECK(errors("<group name=\"world\" count=\"8\"/>") ==
        Errors{"1: group 'world' is declared twice ('world' is always there: all GPUs)"});
  CHECK_THAT(errors("<group name=\"a\" count=\"3\"/>").at(0),
             Catch::StartsWith("1: group 'a': ") && Catch::Contains("does not divide"));
  CHECK_THAT(errors("<group name=\"a\"><members gpus=\"0-2\"/><members gpus=\"2-3\"/></group>").at(0),
             Catch::StartsWith("1: group 'a': gpu 2 is in two groups"));
  CHECK(errors("<group name=\"a\"><members gpus=\"0-8\"/></group>") ==
        Errors{"1: <members> attribute 'gpus': gpu 8 does not exist (the system has 8 GPUs)"});
}

TEST_CASE("a workload has one kind, one element and a GPU") {
  CHECK(make_job_of("<workload/>", 8).errors == Errors{"1: <workload> lacks the required attribute 'kind'"});
  CHECK_THAT(make_job_of("<workload kind=\"colective\"/>", 8).errors.at(0),
             Catch::StartsWith("1: <workload> attribute 'kind': invalid choice 'colective'") &&
                 Catch::Contains("did you mean 'collective'"));
  CHECK(make_job_of("<workload kind=\"explicit\"/>\n<workload kind=\"explicit\"/>", 8).errors ==
        Errors{"2: a second <workload> (the first is in line 1)"});
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
