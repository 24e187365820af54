#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "workloads/job/join_jobs.hpp"

using namespace lightrail;

namespace {

/// A job of `gpus` GPUs: each has a kernel with a shape and a load, then an all-to-all over "world" whose
/// demand is expected by a load, and goes on with a second program of the same.
Job job_of(std::uint32_t gpus, std::int64_t bytes) {
  JobBuilder builder(gpus);
  GroupKind world;
  world.name = "world";
  world.digits = {{gpus, 1}};
  const GroupKindId group = builder.group(world);
  SplitMatrix even{gpus, std::vector<double>(gpus * gpus, 1.0 / gpus)};
  const std::uint16_t split = builder.split(even);
  std::uint32_t first = 0;
  for (int pass = 0; pass < 2; ++pass) {
    Program program;
    program.role = "rank";
    Op kernel = make_op(OpKind::compute, program, "compute", builder, "gemm");
    kernel.shape = builder.shape({.m = bytes, .n = 1, .k = 1});
    kernel.host_work = builder.host_work({.launches = 3});
    append(program, kernel);
    Op exchange = make_op(OpKind::collective, program, "ep", builder, "dispatch " + std::to_string(bytes));
    exchange.collective = CollectiveType::all_to_all;
    exchange.group = group;
    exchange.bytes = bytes;
    exchange.dimension = builder.dimension("ep");
    exchange.split = split;
    exchange.root = expects_split + split;
    append(program, exchange);
    const std::uint32_t index = builder.program(std::move(program));
    if (pass == 0) first = index;
  }
  builder.job().programs.programs[first].next = first + 1;
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) builder.assign(gpu, first);
  builder.job().programs.iterations = static_cast<std::uint32_t>(bytes);
  builder.note("a note");
  return builder.take();
}

std::vector<PlacedJob> two_jobs() {
  std::vector<PlacedJob> jobs(2);
  jobs[0].name = "a", jobs[0].job = job_of(2, 10), jobs[0].gpus = {5, 1};
  jobs[1].name = "b", jobs[1].job = job_of(3, 20), jobs[1].gpus = {0, 2, 3}, jobs[1].start = picoseconds(7);
  return jobs;
}

std::vector<std::uint32_t> members(const GroupKind& kind) {
  std::vector<std::uint32_t> all;
  for (const EndpointId member : kind.listed.at(0)) all.push_back(member.value);
  return all;
}

std::string refusal(std::vector<PlacedJob> jobs) {
  try {
    static_cast<void>(join_jobs(jobs, 8));
  } catch (const InputErrors& problem) {
    return problem.errors().at(0).what;
  }
  return "";
}

}  // namespace

TEST_CASE("groups and dimensions carry the job's name, groups the GPUs that it has") {
  std::vector<PlacedJob> jobs = two_jobs();
  const Job all = join_jobs(jobs, 8);
  CHECK(all.gpu_count == 8);
  CHECK(all.dimensions == std::vector<std::string>{"a.ep", "b.ep"});
  REQUIRE(all.groups.size() == 2);
  CHECK(all.groups[0].name == "a.world");
  CHECK(members(all.groups[0]) == std::vector<std::uint32_t>{5, 1});
  CHECK(all.groups[1].name == "b.world");
  CHECK(members(all.groups[1]) == std::vector<std::uint32_t>{0, 2, 3});
  CHECK(all.notes == std::vector<std::string>{"job a: a note", "job b: a note"});
}

TEST_CASE("what operations refer to is their own job's") {
  std::vector<PlacedJob> jobs = two_jobs();
  const Job all = join_jobs(jobs, 8);
  const ProgramSet& set = all.programs;
  REQUIRE(set.programs.size() == 5);
  CHECK(set.programs[0].next == 1);
  CHECK(set.programs[2].next == 3);
  CHECK(set.programs[2].role == "b.rank");
  REQUIRE(set.splits.size() == 3);
  REQUIRE(set.host_work.size() == 3);
  for (std::uint32_t p = 0; p < 4; ++p) {
    const bool is_b = p >= 2;
    const Op &kernel = set.programs[p].ops[0], &exchange = set.programs[p].ops[1];
    CHECK(set.programs[p].job == (is_b ? 1 : 0));
    CHECK(set.shapes[kernel.shape].m == (is_b ? 20 : 10));
    CHECK(set.host_work[kernel.host_work].launches == 3);
    CHECK(all.names[kernel.name] == "gemm");
    CHECK(all.names[exchange.name] == (is_b ? "dispatch 20" : "dispatch 10"));
    CHECK(all.groups[exchange.group.value].name == (is_b ? "b.world" : "a.world"));
    CHECK(all.dimensions[exchange.dimension] == (is_b ? "b.ep" : "a.ep"));
    CHECK(set.splits[exchange.split].size == (is_b ? 3 : 2));
    CHECK(set.splits[exchange.root - expects_split].size == (is_b ? 3 : 2));
  }
  CHECK(jobs[1].first_program == 2);
  CHECK(jobs[1].first_shape == 1);
  CHECK(jobs[1].first_dimension == 1);
}

TEST_CASE("GPUs run their job's programs, as often and as late as it does, the others nothing") {
  std::vector<PlacedJob> jobs = two_jobs();
  const ProgramSet set = join_jobs(jobs, 8).programs;
  CHECK(set.program_of_gpu == std::vector<std::uint32_t>{2, 0, 2, 2, 4, 0, 4, 4});
  const Program &a = set.programs[0], &b = set.programs[2], &idle = set.programs[4];
  CHECK(set.iterations_of(a) == 10);
  CHECK(set.iterations_of(b) == 20);
  CHECK(set.iterations_of(idle) == 0);
  CHECK(set.start_of(a) == SimTime{0});
  CHECK(set.start_of(b) == picoseconds(7));
  CHECK(set.uses_hosts(b));
  CHECK_FALSE(set.uses_hosts(idle));
  CHECK(idle.job == no_job);
}

TEST_CASE("two jobs on one GPU, or more groups than there are ids for, are refused") {
  std::vector<PlacedJob> jobs = two_jobs();
  jobs[1].gpus[2] = 1;
  CHECK(refusal(jobs) == "two jobs have gpu 1");
  jobs = two_jobs();
  for (int i = 0; i < 254; ++i) jobs[0].job.groups.push_back(jobs[0].job.groups[0]);
  CHECK(refusal(jobs) == "the jobs have 256 kinds of groups together (at most 255)");
}
