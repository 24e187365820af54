#include "workloads/import/trace_files.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

TEST_CASE("a file's rank is the number after the word rank, else the last one of its name") {
  CHECK(rank_by_name("a9/trace_rank_0_step_10.json") == 0u);
  CHECK(rank_by_name("Rank-12.pt.trace.json.gz") == 12u);
  CHECK(rank_by_name("rank[3].json") == 3u);
  CHECK(rank_by_name("megatron_kineto_3.json.gz") == 3u);
  CHECK(rank_by_name("frank_5.json") == 5u);
  CHECK(rank_by_name("ranks_of_job7.json") == 7u);
  CHECK(!rank_by_name("trace.json"));
  CHECK(!rank_by_name("host_1234567.json"));
}

TEST_CASE("a pattern says where in a name the rank stands") {
  CHECK(rank_by_pattern("d/step_10_gpu_3.json", "step_*_gpu_#.json") == 3u);
  CHECK(rank_by_pattern("step_10_gpu_3.json", "step_#_*") == 10u);
  CHECK(rank_by_pattern("x12y.json", "x#y*") == 12u);
  CHECK(!rank_by_pattern("step_10_gpu_3.json", "rank_#*"));
  CHECK(!rank_by_pattern("step_10_gpu_3.json", "step_*"));
}
