#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/generate/workload_fixture.hpp"
#include "workloads/generate/benchmark/nccl_tests_table.hpp"

using namespace lightrail;
using Errors = std::vector<std::string>;

namespace {

std::vector<std::int64_t> sizes(const MadeJob& made) {
  std::vector<std::int64_t> all;
  for (const Op& op : made.job.programs.programs.at(0).ops) all.push_back(op.bytes);
  return all;
}

}  // namespace

TEST_CASE("a collective benchmark walks through the sizes, each warmed up and repeated") {
  MadeJob made = make_job_of(
      "<workload kind=\"collective\" from=\"1 KiB\" to=\"16 KiB\" factor=\"4\" warm-up=\"1\" repeats=\"2\"/>",
      8);
  REQUIRE(made.errors == Errors{});
  CHECK(sizes(made) == std::vector<std::int64_t>{1024, 1024, 1024, 4096, 4096, 4096, 16384, 16384, 16384});
  CHECK(made.job.names[made.job.programs.programs[0].ops[3].name] == "all_reduce 4096 B");
}

TEST_CASE("sizes of collectives with parts are rounded to whole elements a member, and doubles dropped") {
  MadeJob made = make_job_of(
      "<workload kind=\"collective\" collective=\"all-gather\" from=\"8 B\" to=\"100 B\" element=\"4 B\"/>",
      6);
  CHECK(made.errors.size() == 1);  // an element is a number of bytes, without unit
  made = make_job_of(
      "<workload kind=\"collective\" collective=\"all-gather\" from=\"8 B\" to=\"100 B\" element=\"4\"/>", 6);
  REQUIRE(made.errors == Errors{});
  CHECK(sizes(made) == std::vector<std::int64_t>{24, 48});
}

TEST_CASE("several collectives follow one another") {
  MadeJob made = make_job_of(
      "<workload kind=\"collective\" collective=\"all-reduce all-to-all\" from=\"64 B\" to=\"64 B\"/>", 2);
  REQUIRE(made.errors == Errors{});
  REQUIRE(made.job.programs.programs[0].ops.size() == 2);
  CHECK(made.job.programs.programs[0].ops[1].collective == CollectiveType::all_to_all);
}

TEST_CASE("a wrong benchmark is refused") {
  auto errors = [](const std::string& attributes) {
    return make_job_of("<workload kind=\"collective\" " + attributes + "/>", 8).errors;
  };
  CHECK(errors("from=\"8 KiB\" to=\"4 KiB\"") ==
        Errors{"1: <workload> attribute 'to': 4 KiB is less than from = 8 KiB"});
  CHECK_THAT(errors("collective=\"allreduce\"").at(0),
             Catch::StartsWith("1: <workload> attribute 'collective': invalid choice 'allreduce'"));
  CHECK_THAT(errors("group=\"tp\"").at(0),
             Catch::StartsWith("1: <workload> attribute 'group': unknown group: invalid choice 'tp'"));
  CHECK_THAT(errors("to=\"1000000000000000000 B\"").at(0),
             Catch::Contains("'1000000000000000000 B' is out of range"));
  CHECK(errors("collective=\"broadcast\" root=\"8\"") ==
        Errors{"1: <workload> attribute 'root': 8 is not in a group of 8"});
}

TEST_CASE("a storage job spreads GPUs over the servers") {
  MadeJob made =
      make_job_of("<workload kind=\"storage\" operation=\"write\" size=\"1 MiB\" requests=\"3\"/>", 4, 2);
  REQUIRE(made.errors == Errors{});
  const Program& odd = made.job.programs.programs[made.job.programs.program_of_gpu[3]];
  REQUIRE(odd.ops.size() == 3);
  CHECK(odd.ops[0].kind == OpKind::storage_write);
  CHECK(odd.ops[0].peer == 1);
  CHECK(odd.ops[1].peer == 0);
  CHECK(made.job.programs.program_of_gpu[1] == made.job.programs.program_of_gpu[3]);
  CHECK(make_job_of("<workload kind=\"storage\" size=\"1 B\"/>", 4).errors ==
        Errors{"1: a storage workload needs a storage server, and the system has none"});
}

TEST_CASE("the table has nccl-tests' columns and bandwidths") {
  // 64 MiB over 8 GPUs in 324.7 us: 206.67 GB/s, x 2 x 7 / 8 = 361.68 GB/s on the bus.
  std::vector<CollectiveRow> rows{{CollectiveType::all_reduce, 67'108'864, 8, 4, 0, 324'700'000},
                                  {CollectiveType::all_gather, 1024, 8, 4, 0, 10'000'000}};
  std::string text = nccl_tests_table(rows);
  CHECK_THAT(text,
             Catch::Contains("# all_reduce over 8 GPUs\n") &&
                 Catch::Contains("size         count     type   redop   root       time    algbw    busbw"));
  CHECK_THAT(
      text, Catch::Contains("67108864      16777216    float     sum     -1      324.7   206.68   361.69\n"));
  CHECK_THAT(text,
             Catch::Contains("1024            32    float    none     -1      10.00     0.10     0.09\n"));
}

TEST_CASE("the bus factor is nccl-tests'") {
  CHECK(bus_factor(CollectiveType::all_reduce, 8) == Approx(1.75));
  CHECK(bus_factor(CollectiveType::reduce_scatter, 8) == Approx(0.875));
  CHECK(bus_factor(CollectiveType::all_to_all, 4) == Approx(0.75));
  CHECK(bus_factor(CollectiveType::broadcast, 4) == Approx(1));
}
