#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

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
  CHECK(parse_gpu_list("0-8", 8, gpus) == "gpu 8 does not exist (there are 8 GPUs)");
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
        Errors{"1: <members> attribute 'gpus': gpu 8 does not exist (there are 8 GPUs)"});
}

TEST_CASE("a wrong list of members leaves its group out, and the next group is still read") {
  const MadeJob made = make_job_of(
      "<groups><group name=\"a\"><members gpus=\"9\"/><members gpus=\"x\"/></group>\n"
      "<group name=\"b\" count=\"3\"/></groups>",
      8);
  REQUIRE(made.errors.size() == 3);
  CHECK(made.errors[0] == "1: <members> attribute 'gpus': gpu 9 does not exist (there are 8 GPUs)");
  CHECK_THAT(made.errors[1], Catch::StartsWith("1: <members> attribute 'gpus': invalid list of GPUs 'x'"));
  CHECK_THAT(made.errors[2], Catch::StartsWith("2: group 'b': "));
}

TEST_CASE("a job has at most 255 kinds of groups, world among them") {
  const auto errors = [](int kinds) {
    std::string groups;
    for (int k = 0; k < kinds; ++k) groups += "<group name=\"g" + std::to_string(k) + "\" count=\"2\"/>";
    return make_job_of("<groups>" + groups + "</groups>", 2).errors;
  };
  CHECK(errors(254) == Errors{});
  CHECK(errors(255) == Errors{"1: group 'g254': a job has at most 255 kinds of groups"});
}

TEST_CASE("the size of a group is the product of its digits, or the smallest of its lists") {
  GroupKind kind;
  CHECK(group_size(kind) == 0);
  kind.listed = {{EndpointId{0}, EndpointId{1}, EndpointId{2}}, {EndpointId{3}}};
  CHECK(group_size(kind) == 1);
  kind.listed.clear();
  kind.digits = {{4, 1}, {3, 4}, {2, 12}};
  CHECK(group_size(kind) == 24);
}

TEST_CASE("a group that there is not is refused with the closest name") {
  const auto errors = make_job_of(
                          "<groups><group name=\"tensor\" count=\"2\"/></groups>\n"
                          "<workload kind=\"explicit\"><program gpus=\"all\">\n"
                          "<op kind=\"collective\" collective=\"all-reduce\" group=\"tenser\" size=\"1 "
                          "KiB\"/></program></workload>",
                          4)
                          .errors;
  REQUIRE(errors.size() == 1);
  CHECK_THAT(errors[0], Catch::StartsWith("3: <op> attribute 'group': unknown group: ") &&
                            Catch::Contains("did you mean 'tensor'"));
}
