#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "workloads/job/job.hpp"
#include "workloads/trace/trace_digest.hpp"

using namespace lightrail;

namespace {

/// Three GPUs: two share a program with a kernel, a send and two all-reduces; one is idle.
Job small_job() {
  JobBuilder builder(3);
  GroupKind pair;
  pair.name = "tp";
  pair.listed = {{EndpointId{0}, EndpointId{1}}};
  builder.group(pair);
  GroupKind world;
  world.name = "world";
  world.digits = {{3, 1}};
  builder.group(world);
  Program program;
  program.role = "stage 0";
  program.memory_bytes = 3ll << 30;
  Op kernel = make_op(OpKind::compute, program, "compute", builder, "gemm");
  kernel.duration = microseconds(2);
  append(program, kernel);
  append(program, kernel);
  Op send = make_op(OpKind::send, program, "nccl", builder, "send");
  send.group = GroupKindId{0}, send.bytes = 100;
  append(program, send);
  Op reduce = make_op(OpKind::collective, program, "nccl", builder, "reduce");
  reduce.collective = CollectiveType::all_reduce, reduce.group = GroupKindId{0}, reduce.bytes = 4096;
  append(program, reduce);
  append(program, reduce);
  const std::uint32_t index = builder.program(program);
  builder.assign(0, index), builder.assign(1, index);
  return builder.take();
}

}  // namespace

TEST_CASE("a digest counts operations by kind, and collectives by group, type and size") {
  const ProgramDigest counted = digest(small_job().programs.programs[0]);
  CHECK(counted.role == "stage 0");
  CHECK(counted.ops == 5);
  CHECK(counted.streams == 2);
  CHECK(counted.memory_bytes == 3ll << 30);
  CHECK(counted.kinds.at(OpKind::compute) == std::pair<std::int64_t, SimTime>{2, microseconds(4)});
  CHECK(counted.kinds.count(OpKind::recv) == 0);
  CHECK(counted.collectives.at({0, CollectiveType::all_reduce, 4096}) == 2);
  CHECK(counted.sent_bytes == 100);
}

TEST_CASE("a trace is described by its GPUs, groups and programs") {
  const std::string text = describe_trace(small_job());
  CHECK_THAT(text, Catch::StartsWith("3 GPUs, 2 programs, 1 iteration(s), 0 shapes\n"));
  CHECK_THAT(text, Catch::Contains("\ngroup tp: 1 list(s) of 2\n"));
  CHECK_THAT(text, Catch::Contains("\ngroup world: 3 x stride 1\n"));
  CHECK_THAT(text, Catch::Contains("\nprogram 'stage 0' on 2 GPU(s): 5 operations on 2 streams, 3.0 GiB\n"));
  CHECK_THAT(text, Catch::Contains("\n         2 kernels, 4.000 us in all\n"));
  CHECK_THAT(text, Catch::Contains("\n         1 sends, 100 B in all\n"));
  CHECK_THAT(text, Catch::Contains("\n         2 x all-reduce of 4096 B over tp\n"));
  CHECK_THAT(text, Catch::Contains("\nprogram 'idle' on 1 GPU(s): 0 operations on 1 streams\n"));
  CHECK_THAT(text, !Catch::Contains("captured"));
}

TEST_CASE("a program that follows another runs on its GPUs too") {
  Job job = small_job();
  job.programs.programs[0].next = 1;
  CHECK_THAT(describe_trace(job), Catch::Contains("program 'idle' on 3 GPU(s)"));
}

TEST_CASE("the first sixteen programs are told one by one, the others counted") {
  JobBuilder builder(18);
  for (std::uint32_t gpu = 0; gpu < 18; ++gpu) {
    Program program;
    program.role = "rank " + std::to_string(gpu);
    builder.assign(gpu, builder.program(program));
  }
  const std::string text = describe_trace(builder.take());
  CHECK_THAT(text, Catch::Contains("program 'rank 15'") && !Catch::Contains("program 'rank 16'"));
  CHECK_THAT(text, Catch::EndsWith("and 2 more programs\n"));
}

TEST_CASE("what was captured comes last") {
  Job job = small_job();
  job.capture.ranks.resize(2);
  job.capture.step_ps = 1'500'000, job.capture.collectives = 2, job.capture.fastest_median_ps = 1000;
  CHECK_THAT(describe_trace(job),
             Catch::EndsWith(
                 "captured: step 1.500 us, 2 collectives a rank, the fastest member's median 1.000 ns\n"));
  job.capture.ranks.resize(1);
  job.capture.step_ps = 0;  // without clocks
  CHECK_THAT(describe_trace(job),
             Catch::EndsWith("captured: 2 collectives a rank, the one captured rank's median 1.000 ns\n"));
  job.capture.gpus = "NVIDIA H200";
  CHECK_THAT(describe_trace(job), Catch::EndsWith("median 1.000 ns\nrecorded on NVIDIA H200\n"));
}
