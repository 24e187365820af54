#include <catch2/catch.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "workloads/trace/job_output.hpp"
#include "workloads/trace/trace_file.hpp"

using namespace lightrail;
using test::TemporaryFolder;

namespace {

Op kernel(std::int64_t ps) {
  Op op;
  op.kind = OpKind::compute;
  op.duration = picoseconds(ps);
  op.dimension = no_dimension;
  return op;
}

/// Two kernels, the second after the first; returns the program's index.
std::uint32_t two_kernels(JobOutput& out, std::int64_t second_ps, const std::string& role,
                          std::int64_t memory_bytes = 0) {
  const std::uint32_t first = out.add(kernel(5), {});
  out.add(kernel(second_ps), std::vector<std::uint32_t>{first});
  return out.end(role, {"compute"}, memory_bytes);
}

}  // namespace

TEST_CASE("the hash of a content tells order, length and every value") {
  const auto of = [](const std::vector<std::uint64_t>& values) {
    ContentHash hash;
    for (std::uint64_t value : values) hash.add(value);
    return hash.value();
  };
  CHECK(of({1, 2}) == of({1, 2}));
  CHECK(of({1, 2}) != of({2, 1}));
  CHECK(of({0}) != of({0, 0}));
  CHECK(of({}) != of({0}));
  ContentHash joined, split;
  joined.add(std::string("ab"));
  split.add(std::string("a")), split.add(std::string("b"));
  CHECK(joined.value() != split.value());
}

TEST_CASE("programs that do the same are kept once, whatever their roles") {
  JobOutput out;
  out.begin(3);
  CHECK(two_kernels(out, 7, "rank 0") == 0);
  CHECK(two_kernels(out, 8, "rank 1") == 1);
  CHECK(two_kernels(out, 7, "rank 2") == 0);
  CHECK(two_kernels(out, 7, "rank 2", 1) == 2);  // other memory
  CHECK(out.digests().size() == 3);
  for (std::uint32_t gpu = 0; gpu < 3; ++gpu) out.job().assign(gpu, gpu);
  const Job job = out.take();
  REQUIRE(job.programs.programs.size() == 3);
  CHECK(job.programs.programs[0].role == "rank 0");
  CHECK(job.programs.programs[1].ops.at(1).duration == picoseconds(8));
  CHECK(job.programs.programs[1].dependencies == std::vector<std::uint32_t>{0});
}

TEST_CASE("programs differ by their dependencies and streams alone") {
  JobOutput out;
  out.begin(1);
  CHECK(two_kernels(out, 7, "a") == 0);
  out.add(kernel(5), {}), out.add(kernel(7), {});
  CHECK(out.end("a", {"compute"}) == 1);
  out.add(kernel(5), {}), out.add(kernel(7), {});
  CHECK(out.end("a", {"other"}) == 2);
}

TEST_CASE("programs differ by the iterations of their I/O alone") {
  JobOutput out;
  out.begin(1);
  Op read;
  read.kind = OpKind::storage_read;
  const auto of = [&](const Op& op) { return out.add(op, {}), out.end("a", {"io"}); };
  CHECK(of(read) == 0);
  Op once = read, second = read;
  once.is_once = true;
  second.every = 2, second.turn = 1;
  CHECK(of(once) == 1);
  CHECK(of(second) == 2);
  CHECK(of(once) == 1);
}

TEST_CASE("with a file the operations are there and the job that is returned has none") {
  const TemporaryFolder folder;
  const std::string path = folder / "job.h5";
  JobOutput out(path, "test");
  out.begin(3);
  const std::uint32_t first = two_kernels(out, 7, "rank 0", 99);
  CHECK(two_kernels(out, 7, "rank 1", 99) == first);  // written, then taken back
  const std::uint32_t other = two_kernels(out, 9, "rank 2");
  out.job().assign(0, first), out.job().assign(1, other);
  const Job job = out.take();
  CHECK(job.programs.programs.at(0).ops.empty());
  REQUIRE(out.digests().size() == 3);  // the idle GPU 2 has one too
  CHECK(out.digests()[1].kinds.at(OpKind::compute) == std::pair<std::int64_t, SimTime>{2, picoseconds(14)});
  const Job back = read_trace(path);
  CHECK(back.programs.program_of_gpu == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(back.programs.programs[0].role == "rank 0");
  CHECK(back.programs.programs[0].memory_bytes == 99);
  CHECK(back.programs.programs[1].ops.at(1).duration == picoseconds(9));
  CHECK(back.programs.programs[2].role == "idle");
}

TEST_CASE("a file that is not taken is removed") {
  const TemporaryFolder folder;
  const std::string path = folder / "job.h5";
  {
    JobOutput out(path, "test");
    out.begin(1);
    two_kernels(out, 7, "rank 0");
    CHECK(std::filesystem::exists(path));
  }
  CHECK(!std::filesystem::exists(path));
}

TEST_CASE("a whole program is added like its operations") {
  Program program;
  program.role = "whole";
  program.streams = {"compute"};
  append(program, kernel(5));
  append(program, kernel(7), std::vector<std::uint32_t>{0});
  JobOutput out;
  out.begin(1);
  CHECK(out.program(program) == 0);
  CHECK(two_kernels(out, 7, "piece by piece") == 0);
}

TEST_CASE("what is discarded is counted and not kept") {
  JobOutput out(JobOutput::discard);
  out.begin(1);
  CHECK(out.add(kernel(5), {}) == 0);
  CHECK(out.add(kernel(5), {}) == 1);
  CHECK(out.end("rank 0", {"compute"}) == 0);
  CHECK(out.add(kernel(5), {}) == 0);
  CHECK(out.digests().empty());
}
