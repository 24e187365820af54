#include "workloads/import/nsight/nsight_reader.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"
#include "tests/unit/workloads/import/nsight_database.hpp"

using namespace lightrail;

namespace {

const std::string all_reduce = "ncclDevKernel_AllReduce_Sum_f16_RING_LL", gemm = "sm90_gemm_bf16",
                  send_recv = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)";

std::vector<Op> communications(const Job& job, std::uint32_t rank) {
  std::vector<Op> all;
  for (const Op& op : program_of(job, rank).ops)
    if (op.kind == OpKind::collective || op.kind == OpKind::send || op.kind == OpKind::recv)
      all.push_back(op);
  return all;
}

std::vector<std::uint32_t> members(const Job& job, const Op& op) {
  std::vector<std::uint32_t> all;
  for (EndpointId gpu : job.groups[op.group.value].listed[0]) all.push_back(gpu.value);
  return all;
}

/// A matrix product, then an all-reduce of 4 KiB and an all-gather of 1,000 B a rank.
void step(NsightDatabase& made, int process) {
  made.launch(process, gemm, 100, 110, 190, 1)
      .collective(process, "ncclAllReduce", 118, 130, 0xab, 4096)
      .launch(process, all_reduce, 120, 200, 250, 2, 20)
      .collective(process, "ncclAllGather", 148, 160, 0xab, 1000)
      .launch(process, "ncclDevKernel_AllGather_RING_LL", 150, 260, 290, 3, 20);
}

}  // namespace

TEST_CASE("the processes of a report are ranks, by their places in the largest communicator") {
  TraceFolder folder;
  const std::string path = folder.path("node.sqlite");
  {
    NsightDatabase made(path);
    for (int process : {31, 32}) {
      made.membership(process, 0xab, 2, process == 31 ? 1 : 0);
      step(made, process);
    }
    made.launch(32, gemm, 300, 310, 400, 4);  // what rank 0 alone does
  }
  const Job job = imported({"nsight", {path}});
  CHECK(job.gpu_count == 2);
  CHECK(program_of(job, 0).ops.size() > program_of(job, 1).ops.size());
  const auto ops = communications(job, 1);
  REQUIRE(ops.size() == 2);
  CHECK(ops[0].collective == CollectiveType::all_reduce);
  CHECK(ops[0].bytes == 4096);
  CHECK(ops[0].element_bytes == 2);
  CHECK(ops[1].collective == CollectiveType::all_gather);
  CHECK(ops[1].bytes == 2000);  // of both ranks
  CHECK(members(job, ops[0]) == std::vector<std::uint32_t>{0, 1});
  SimTime cpu{}, compute{};
  for (const Op& op : program_of(job, 1).ops) {
    if (op.kind == OpKind::host) cpu += op.duration;
    if (op.kind == OpKind::compute) compute += op.duration;
  }
  CHECK(compute == nanoseconds(80));
  CHECK(cpu == nanoseconds(60));  // to the launch at 150, of the kernel 10 later, since the first one at 100
  CHECK(job.capture.step_ps == 300'000);
  CHECK(job.capture.fastest_sum_ps == 80'000);
  REQUIRE(job.notes.size() == 1);
  CHECK_THAT(job.notes[0], Catch::EndsWith("ranks are those of the largest communicator"));
}

TEST_CASE("communicators of processes in files of their own are put together by their hash") {
  TraceFolder folder;
  ImportOptions options{"nsight", {}};
  for (int rank : {0, 1}) {
    options.files.push_back(folder.path("rank" + std::to_string(rank) + ".sqlite"));
    NsightDatabase made(options.files.back());
    step(made, 50);
  }
  const Job job = imported(options);
  CHECK(members(job, communications(job, 0)[0]) == std::vector<std::uint32_t>{0, 1});
  REQUIRE(job.notes.size() == 1);
  CHECK_THAT(job.notes[0], Catch::StartsWith("communicators that were made before the trace began"));
}

TEST_CASE("sends and receives between ncclGroupStart and ncclGroupEnd name their partners' places") {
  // Ranks 1 and 0 of the world are places 0 and 1 of the communicator 0xcd.
  TraceFolder folder;
  const std::string path = folder.path("node.sqlite");
  {
    NsightDatabase made(path);
    for (int rank : {0, 1})
      made.membership(40 + rank, 0xee, 2, rank)
          .membership(40 + rank, 0xcd, 2, 1 - rank, 3)
          .membership(40 + rank, 0xee, 2, rank, 5)
          .message(40 + rank, "ncclSend", 100, 101, 0xcd, rank == 0 ? 300 : 500, rank)
          .message(40 + rank, "ncclRecv", 102, 103, 0xcd, rank == 0 ? 500 : 300, rank)
          .message(40 + rank, "ncclSend", 104, 105, 0xcd, 9, 1 - rank)  // to itself
          .range(40 + rank, "ncclGroupEnd", 110, 130)
          .launch(40 + rank, send_recv, 120, 125, 150, 9, 20);
  }
  const Job job = imported({"nsight", {path}});
  const auto ops = communications(job, 0);
  REQUIRE(ops.size() == 2);
  CHECK(ops[0].kind == OpKind::send);
  CHECK(ops[0].bytes == 300);
  CHECK(ops[1].kind == OpKind::recv);
  CHECK(ops[1].bytes == 500);
  CHECK(members(job, ops[0]) == std::vector<std::uint32_t>{1, 0});
  CHECK(ops[0].peer == 0);  // rank 1
  CHECK(communications(job, 1)[0].peer == 1);
}

TEST_CASE("a wait of a stream joins what the event's last record before it names") {
  TraceFolder folder;
  const std::string path = folder.path("rank0.sqlite");
  {
    NsightDatabase made(path);
    const auto event = [&](int stream, int correlation) {
      made.run("INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, " + std::to_string(stream) + ", " +
               std::to_string(correlation) + ", (1 << 56) + (5 << 24), 77)");
    };
    made.launch(5, gemm, 100, 110, 190, 1, 7).call(5, "cudaEventRecord_v3020", 106, 107, 2);
    event(7, 2);
    made.call(5, "cudaStreamWaitEvent_v3020", 108, 109, 3)
        .run(
            "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (108, 109, 0, 1, 20, 3, (1 << 56) + (5 "
            "<< 24), 2, "
            "77)")
        .call(5, "cudaEventRecord_v3020", 112, 113, 4);
    event(9, 4);  // a later record of the event on another stream
    made.launch(5, "other", 120, 200, 210, 5, 20);
  }
  const Job job = imported({"nsight", {path}});
  const Program& p = program_of(job, 0);
  const Op& last = p.ops.back();
  bool waits = false;
  for (std::uint32_t i = 0; i < last.dependency_count; ++i)
    waits = waits || p.ops[p.dependencies[last.first_dependency + i]].kind == OpKind::compute;
  CHECK(waits);
}

TEST_CASE("copies are called as Kineto calls them, and those of pageable memory block the CPU") {
  TraceFolder folder;
  const std::string path = folder.path("rank0.sqlite");
  NsightDatabase(path)
      .call(5, "cudaMemcpyAsync_v3020", 100, 160, 1)
      .run(
          "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (110, 150, 0, 1, 7, 1, (1 << 56) + (5 << 24), 64, "
          "1, 0, 2)")
      .launch(5, gemm, 170, 180, 190, 2);
  const Job job = imported({"nsight", {path}});
  const auto& names = job.names;
  bool has_copy = false, has_wait = false;
  for (const Op& op : program_of(job, 0).ops) {
    has_copy = has_copy || names[op.name] == "Memcpy HtoD (Pageable)";
    has_wait = has_wait || names[op.name] == "wait for the GPU";
  }
  CHECK(has_copy);
  CHECK(has_wait);
}

TEST_CASE("steps of the profiler choose in a report too") {
  TraceFolder folder;
  const std::string path = folder.path("rank0.sqlite");
  NsightDatabase(path)
      .range(5, "ProfilerStep#3", 90, 150)
      .range(5, "ProfilerStep#4", 150, 250)
      .launch(5, gemm, 100, 110, 140, 1)
      .launch(5, gemm, 160, 170, 240, 2);
  ImportOptions options{"nsight", {path}};
  SimTime compute{};
  const Job job = imported(options.set("steps", "4"));
  for (const Op& op : program_of(job, 0).ops)
    if (op.kind == OpKind::compute) compute += op.duration;
  CHECK(compute == nanoseconds(70));
}

TEST_CASE("reports that cannot be replayed are refused with the reason") {
  TraceFolder folder;
  const std::string empty = folder.path("rank0.sqlite");
  { NsightDatabase made(empty); }
  CHECK_THAT(import_refusal({"nsight", {empty}}),
             Catch::StartsWith("rank0.sqlite: no kernel, copy or memset (expected"));
  CHECK_THAT(import_refusal({"nsight", {folder.plain("x.nsys-rep", "")}}),
             Catch::StartsWith("x.nsys-rep: a report of Nsight Systems: export it first"));
  const std::string lonely = folder.path("rank1.sqlite");
  {
    NsightDatabase made(lonely);
    made.membership(5, 0xab, 1, 0).membership(5, 0xcd, 3, 1);
    step(made, 5);
  }
  CHECK(import_refusal({"nsight", {lonely}}) ==
        "rank1.sqlite: no file for rank 0 of 3 (one file given; others=same lets it stand for all)");
  const std::string silent = folder.path("rank2.sqlite");
  NsightDatabase(silent).launch(5, all_reduce, 120, 200, 250, 2, 20);
  CHECK_THAT(import_refusal({"nsight", {silent}}),
             Catch::Contains("(kernel): no size: neither its arguments nor"));
  CHECK_THAT(import_refusal(ImportOptions{"nsight", {silent}}.set("execution-traces", silent)),
             Catch::Contains("Nsight Systems records no record functions"));
}
