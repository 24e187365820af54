#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/refusal.hpp"
#include "workloads/job/job.hpp"

using namespace lightrail;
using test::refusal;

namespace {

KernelShape gemm(std::int64_t m) {
  KernelShape shape;
  shape.m = m, shape.n = 2, shape.k = 3;
  return shape;
}

}  // namespace

TEST_CASE("a builder begins with the empty name, no dimension and the unused split 0") {
  JobBuilder builder(3);
  const Job& job = builder.job();
  CHECK(job.gpu_count == 3);
  CHECK(job.names == std::vector<std::string>{""});
  CHECK(job.dimensions.empty());
  CHECK(job.programs.splits.size() == 1);
  CHECK(builder.name("") == 0);
}

TEST_CASE("equal names, dimensions, shapes and splits share one index") {
  JobBuilder builder(1);
  CHECK(builder.name("gemm") == 1);
  CHECK(builder.name("norm") == 2);
  CHECK(builder.name("gemm") == 1);
  CHECK(builder.dimension("tp") == 0);
  CHECK(builder.dimension("dp") == 1);
  CHECK(builder.dimension("tp") == 0);
  CHECK(builder.shape(gemm(8)) == 0);
  CHECK(builder.shape(gemm(9)) == 1);
  CHECK(builder.shape(gemm(8)) == 0);
  CHECK(builder.split({2, {0.5, 0.5, 0.5, 0.5}}) == 1);
  CHECK(builder.split({2, {0.5, 0.5, 1, 0}}) == 2);
  CHECK(builder.split({2, {0.5, 0.5, 0.5, 0.5}}) == 1);
  CHECK(builder.job().names.size() == 3);
  CHECK(builder.job().programs.shapes.size() == 2);
  CHECK(builder.job().programs.splits.size() == 3);
}

TEST_CASE("shapes differ where any of their members does") {
  const std::vector<void (*)(KernelShape&)> changes = {[](KernelShape& s) { s.kind = KernelKind::attention; },
                                                       [](KernelShape& s) { s.dtype = DataType::fp8; },
                                                       [](KernelShape& s) { s.scaling = Scaling::rowwise; },
                                                       [](KernelShape& s) { s.causal = 1; },
                                                       [](KernelShape& s) { s.backward = 1; },
                                                       [](KernelShape& s) { s.batch = 2; },
                                                       [](KernelShape& s) { s.m = 1; },
                                                       [](KernelShape& s) { s.n = 1; },
                                                       [](KernelShape& s) { s.k = 1; },
                                                       [](KernelShape& s) { s.heads = 1; },
                                                       [](KernelShape& s) { s.kv_heads = 1; },
                                                       [](KernelShape& s) { s.head_dim = 1; },
                                                       [](KernelShape& s) { s.bytes = 1; }};
  JobBuilder builder(1);
  std::uint32_t expected = 0;
  CHECK(builder.shape({}) == expected);
  for (const auto& change : changes) {
    KernelShape shape;
    change(shape);
    CHECK(builder.shape(shape) == ++expected);
  }
}

TEST_CASE("a group is found by its name, and one that there is not is invalid") {
  JobBuilder builder(4);
  GroupKind pairs;
  pairs.name = "pairs";
  pairs.digits = {{2, 1}};
  CHECK(!builder.find_group("pairs").is_valid());
  CHECK(builder.group(pairs) == GroupKindId{0});
  CHECK(builder.find_group("pairs") == GroupKindId{0});
  CHECK(!builder.find_group("pair").is_valid());
}

TEST_CASE("GPUs without a program share one idle program") {
  JobBuilder builder(4);
  Program busy;
  busy.role = "busy";
  builder.assign(2, builder.program(busy));
  const Job job = builder.take();
  CHECK(job.programs.program_of_gpu == std::vector<std::uint32_t>{1, 1, 0, 1});
  REQUIRE(job.programs.programs.size() == 2);
  CHECK(job.programs.programs[1].role == "idle");
  CHECK(job.programs.programs[1].ops.empty());
}

TEST_CASE("a job whose GPUs all have programs gets no idle one") {
  JobBuilder builder(1);
  builder.assign(0, builder.program({}));
  CHECK(builder.take().programs.programs.size() == 1);
}

TEST_CASE("more than 65535 different splits are refused") {
  JobBuilder builder(1);
  const auto split = [](std::uint32_t i) { return SplitMatrix{1, {i / 65'536.0}}; };
  for (std::uint32_t i = 1; i <= 0xffff; ++i) REQUIRE(builder.split(split(i)) == i);
  CHECK(builder.split(split(7)) == 7);
  CHECK(refusal([&] { builder.split(split(0)); }) ==
        "more than 65535 different loads of experts (layers, micro-batches)");
}

TEST_CASE("more dimensions of traffic than an operation can name are refused") {
  JobBuilder builder(1);
  for (std::uint32_t i = 0; i < no_dimension; ++i)
    builder.job().dimensions.push_back("d" + std::to_string(i));
  CHECK(builder.dimension("d65534") == 65'534);
  CHECK(refusal([&] { builder.dimension("one more"); }) == "more than 65535 dimensions of traffic");
}

TEST_CASE("a program has at most 255 streams by name") {
  Program program;
  program.role = "stage 0";
  for (int s = 0; s < 255; ++s) CHECK(stream_of(program, "s" + std::to_string(s)) == s);
  CHECK(stream_of(program, "s7") == 7);
  CHECK(refusal([&] { stream_of(program, "one more"); }) == "program 'stage 0' has more than 255 streams");
}

TEST_CASE("an operation that is made has its stream and name and no dimension") {
  JobBuilder builder(1);
  Program program;
  const Op op = make_op(OpKind::compute, program, "compute", builder, "gemm");
  CHECK(op.kind == OpKind::compute);
  CHECK(program.streams == std::vector<std::string>{"compute"});
  CHECK(op.stream == 0);
  CHECK(builder.job().names.at(op.name) == "gemm");
  CHECK(op.dimension == no_dimension);
}

TEST_CASE("operations are appended with their dependencies, as given") {
  Program program;
  CHECK(append(program, Op{}) == 0);
  CHECK(append(program, Op{}, std::vector<std::uint32_t>{0}) == 1);
  CHECK(append(program, Op{}, std::vector<std::uint32_t>{1, 0, 1}) == 2);
  CHECK(program.dependencies == std::vector<std::uint32_t>{0, 1, 0, 1});
  CHECK(program.ops[0].dependency_count == 0);
  CHECK(program.ops[2].first_dependency == 1);
  CHECK(program.ops[2].dependency_count == 3);
}
