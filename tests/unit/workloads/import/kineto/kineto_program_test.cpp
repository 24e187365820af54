#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/workloads/import/evaluate_job.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"
#include "workloads/import/kineto/kineto.hpp"
#include "workloads/job/transform_job.hpp"

using namespace lightrail;

namespace {

const std::string reduce = "ncclDevKernel_AllReduce_Sum_f16_RING_LL";
const std::string world_of_one =
    R"("Collective name": "allreduce", "dtype": "Half", "In msg nelems": 1024, "Group size": 1)";

Job job_of(const KinetoText& trace) {
  TraceFolder folder;
  KinetoOptions options;
  options.files = {folder.gzip("rank0.json.gz", trace.text())};
  return import_kineto(options);
}

/// Start and end [us] of the operation called `name`, with collectives of 10 us.
std::pair<std::int64_t, std::int64_t> span(const Job& job, const std::string& name, std::size_t gpu = 0) {
  Times times = evaluate(job, [](const Op&) { return 10'000'000; });
  const Program& p = job.programs.programs[job.programs.program_of_gpu[gpu]];
  for (std::size_t i = 0; i < p.ops.size(); ++i)
    if (job.names[p.ops[i].name] == name)
      return {times.start[gpu][i] / 1'000'000, times.end[gpu][i] / 1'000'000};
  return {-1, -1};
}
using Span = std::pair<std::int64_t, std::int64_t>;

}  // namespace

TEST_CASE("a kernel starts after its launch and after the kernel before it on its stream") {
  // Launch latency: the least time from a launch's start to its kernel's, 10 us.
  Job job = job_of(
      KinetoText().launch("a", 100, 110, 50, 1).launch("b", 120, 160, 5, 2).launch("c", 300, 310, 5, 3));
  CHECK(span(job, "a") == Span{10, 60});
  CHECK(span(job, "b") == Span{60, 65});
  CHECK(span(job, "c") == Span{210, 215});
}

TEST_CASE("a wait makes the next stream follow what was launched before it") {
  Job job = job_of(KinetoText()
                       .launch("a", 100, 110, 50, 1, 7)
                       .call("cudaEventRecord", 110, 1, 2)
                       .call("cudaStreamWaitEvent", 112, 1, 3)
                       .launch(reduce, 120, 160, 40, 4, 24, world_of_one)
                       .call("cudaEventRecord", 130, 1, 5)
                       .call("cudaStreamWaitEvent", 132, 1, 6)
                       .launch("b", 140, 200, 5, 7, 7));
  CHECK(span(job, reduce) == Span{60, 70});
  CHECK(span(job, "b") == Span{70, 75});
}

TEST_CASE("operations that overlapped did not wait for each other, whatever the calls between them") {
  Job job = job_of(KinetoText()
                       .launch("a", 100, 110, 50, 1, 7)
                       .call("cudaEventRecord", 110, 1, 2)
                       .call("cudaStreamWaitEvent", 112, 1, 3)
                       .launch(reduce, 120, 160, 40, 4, 24, world_of_one)
                       .call("cudaEventRecord", 130, 1, 5)
                       .call("cudaStreamWaitEvent", 132, 1, 6)
                       .launch("beside", 140, 165, 5, 7, 7)
                       .call("cudaStreamWaitEvent", 150, 1, 8)
                       .launch("after", 155, 201, 5, 9, 7));
  CHECK(span(job, "beside") == Span{60, 65});
  CHECK(span(job, "after") == Span{70, 75});
}

TEST_CASE("named waits of newer traces are taken as they are") {
  KinetoText trace;
  trace.launch("a", 100, 110, 50, 1, 7)
      .call("cudaEventRecord", 110, 1, 2)
      .launch("later", 115, 160, 100, 3, 7)
      .call("cudaStreamWaitEvent", 130, 1, 4)
      .event("cuda_sync", "Stream Wait Event", "130", "1",
             R"("correlation": 4, "stream": 20, "wait_on_stream": 7, "wait_on_cuda_event_record_corr_id": 2)")
      .launch("b", 140, 161, 5, 5, 20);
  Job job = job_of(trace);
  CHECK(span(job, "b") == Span{60, 65});
}

TEST_CASE("a synchronise waits for the stream, and the waiting is no CPU time") {
  // The CPU waited from 130 to 160; 10 us later it launched b.
  Job job = job_of(KinetoText()
                       .launch("a", 100, 110, 50, 1)
                       .call("cudaStreamSynchronize", 130, 34, 2)
                       .launch("b", 170, 180, 5, 3));
  CHECK(span(job, "b") == Span{80, 85});
  for (auto& program : job.programs.programs)
    for (Op& op : program.ops)
      if (job.names[op.name] == "a") op.duration = microseconds(10);
  CHECK(span(job, "b") == Span{50, 55});
}

TEST_CASE("a copy to pageable memory blocks the CPU, one to pinned memory does not") {
  auto after = [](const std::string& copy) {
    KinetoText trace;
    trace.launch("a", 100, 110, 50, 1)
        .call("cudaMemcpyAsync", 120, 50, 2)
        .kernel(copy, 160, 5, 2)
        .launch("b", 180, 190, 5, 3);
    Job job = job_of(trace);
    for (auto& program : job.programs.programs)
      for (Op& op : program.ops)
        if (job.names[op.name] == "a") op.duration = microseconds(150);
    return span(job, "b").first;
  };
  CHECK(after("Memcpy DtoH (Device -> Pageable)") == 10 + 150 + 5 + 25);
  CHECK(after("Memcpy DtoH (Device -> Pinned)") == 10 + 150 + 5);
}

TEST_CASE("a silent thread continues when the thread that worked meanwhile has reached its last call") {
  KinetoText trace;
  trace.launch("a", 100, 110, 50, 1)
      .call("cudaDeviceSynchronize", 120, 45, 2)
      .call("cudaLaunchKernel", 400, 5, 3, "2")
      .kernel("b", 410, 5, 3);
  Job job = job_of(trace);
  CHECK(span(job, "b") == Span{310, 315});
  for (auto& program : job.programs.programs)
    for (Op& op : program.ops)
      if (job.names[op.name] == "a") op.duration = microseconds(1050);
  CHECK(span(job, "b") == Span{1310, 1315});
}

TEST_CASE("an operation launched before the capture has only its stream to follow") {
  Job job = job_of(KinetoText().kernel("early", 90, 100, 77).launch("a", 100, 190, 5, 1));
  CHECK(span(job, "early") == Span{0, 100});
  CHECK(span(job, "a") == Span{100, 105});
}

TEST_CASE("clocks that differ between ranks are aligned by the ends of their collectives") {
  auto rank = [](int r, int shift) {
    std::string args =
        R"("Collective name": "allreduce", "dtype": "Half", "In msg nelems": 1024, "Group size": 2)";
    return KinetoText(r, 2)
        .launch("a", 100 + 50 * r + shift, 110 + 50 * r + shift, 50, 1)
        .launch(reduce, 120 + 50 * r + shift, 210 - 50 * (1 - r) + shift, 10 + 50 * (1 - r), 2, 7, args)
        .text();
  };
  for (int shift : {0, 5'000'000, -90}) {
    TraceFolder folder;
    KinetoOptions options;
    options.files = {folder.gzip("r0.json.gz", rank(0, 0)), folder.gzip("r1.json.gz", rank(1, shift))};
    Job job = import_kineto(options);
    CAPTURE(shift);
    CHECK(span(job, reduce, 0) == Span{60, 120});
    CHECK(span(job, reduce, 1) == Span{110, 120});
    CHECK(job.capture.step_ps == 120'000'000);
    CHECK(job.capture.fastest_median_ps == 10'000'000);
  }
}

TEST_CASE("process groups become group kinds: disjoint ones of one description share a kind") {
  TraceFolder folder;
  KinetoOptions options;
  for (int r = 0; r < 4; ++r) {
    std::string tp = r < 2 ? "[0, 1]" : "[2, 3]", dp = r % 2 == 0 ? "[0, 2]" : "[1, 3]";
    auto args = [](const std::string& what, const std::string& ranks, const char* collective, int in,
                   int out) {
      return R"("Collective name": ")" + std::string(collective) +
             R"(", "dtype": "BFloat16", "In msg nelems": )" + std::to_string(in) +
             ", \"Out msg nelems\": " + std::to_string(out) + R"(, "Process Group Description": ")" + what +
             R"(", "Process Group Name": "5", "Process Group Ranks": ")" + ranks + "\"";
    };
    options.files.push_back(folder.plain(
        "r" + std::to_string(r) + ".json",
        KinetoText(r, 4)
            .launch("ncclDevKernel_AllGather_RING_LL", 100, 110, 5, 1, 20,
                    args("tp", tp, "_allgather_base", 8, 16))
            .launch("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", 120, 130, 5, 2, 21,
                    args("dp", dp, "_reduce_scatter_base", 32, 16))
            .launch("ncclDevKernel_SendRecv", 140, 150, 5, 3, 20, args("tp", tp, "all_to_all", 64, 64))
            .text()));
  }
  Job job = import_kineto(options);
  REQUIRE(job.groups.size() == 2);
  CHECK(job.groups[0].name == "tp");
  CHECK(job.groups[0].listed.size() == 2);
  CHECK(job.groups[1].listed[1] == std::vector<EndpointId>{EndpointId{1}, EndpointId{3}});
  std::vector<std::pair<CollectiveType, std::int64_t>> calls;
  for (const Op& op : job.programs.programs[job.programs.program_of_gpu[3]].ops)
    if (op.kind == OpKind::collective) calls.emplace_back(op.collective, op.bytes);
  CHECK(calls == std::vector<std::pair<CollectiveType, std::int64_t>>{{CollectiveType::all_gather, 32},
                                                                      {CollectiveType::reduce_scatter, 64},
                                                                      {CollectiveType::all_to_all, 128}});
}

TEST_CASE("send and receive name their partner by its place in the group") {
  TraceFolder folder;
  auto args = [](const char* name, const char* key, int peer) {
    return std::string(R"("Collective name": ")") + name +
           R"(", "dtype": "Float", "In msg nelems": 8, "Out msg nelems": 8, "Group size": 2, ")" + key +
           "\": " + std::to_string(peer);
  };
  KinetoOptions options;
  options.files = {folder.plain("r0.json", KinetoText(0, 2)
                                               .launch("ncclDevKernel_SendRecv", 100, 110, 5, 1, 20,
                                                       args("send", "Dst Rank", 1))
                                               .text()),
                   folder.plain("r1.json", KinetoText(1, 2)
                                               .launch("ncclDevKernel_SendRecv", 100, 110, 5, 1, 20,
                                                       args("recv", "Src Rank", 0))
                                               .text())};
  Job job = import_kineto(options);
  const Op& send = job.programs.programs[0].ops.back();
  const Op& recv = job.programs.programs[1].ops.back();
  CHECK(send.kind == OpKind::send);
  CHECK(send.peer == 1);
  CHECK(send.bytes == 32);
  CHECK(recv.kind == OpKind::recv);
  CHECK(recv.peer == 0);
}

TEST_CASE("scaling multiplies kernels by class and the CPU, and leaves copies to the host") {
  Job job = job_of(KinetoText()
                       .launch("ampere_fp16_s16816gemm_fp16_128x128", 100, 110, 80, 1)
                       .launch("softmax", 120, 190, 40, 2)
                       .launch("flash_fwd_kernel", 130, 230, 20, 3)
                       .launch("Memcpy HtoD (Pinned -> Device)", 140, 250, 10, 4));
  scale_job(job, {0.5, 0.25, 2, 3});
  auto length = [&](const char* name) {
    auto s = span(job, name);
    return s.second - s.first;
  };
  CHECK(length("ampere_fp16_s16816gemm_fp16_128x128") == 40);
  CHECK(length("flash_fwd_kernel") == 5);
  CHECK(length("softmax") == 80);
  CHECK(length("Memcpy HtoD (Pinned -> Device)") == 10);
  CHECK(span(job, "ampere_fp16_s16816gemm_fp16_128x128").first == 30);
}

TEST_CASE("a job moves to other GPUs with its groups") {
  TraceFolder folder;
  KinetoOptions options;
  std::string args =
      R"("Collective name": "allreduce", "dtype": "Half", "In msg nelems": 1024, "Group size": 2)";
  for (int r = 0; r < 2; ++r)
    options.files.push_back(folder.plain("r" + std::to_string(r) + ".json",
                                         KinetoText(r, 2).launch(reduce, 100, 110, 5, 1, 20, args).text()));
  Job job = import_kineto(options);
  place_job(job, {3, 1}, 5);
  CHECK(job.gpu_count == 5);
  CHECK(job.groups[0].listed[0] == std::vector<EndpointId>{EndpointId{3}, EndpointId{1}});
  CHECK(job.programs.programs[job.programs.program_of_gpu[3]].role == "rank 0");
  CHECK(job.programs.programs[job.programs.program_of_gpu[0]].role == "idle");
  CHECK_THROWS_WITH(place_job(job, {0, 0, 1, 2, 3}, 8), Catch::Contains("gpu 0 is placed twice"));
  CHECK_THROWS_WITH(place_job(job, {0, 1}, 8), Catch::Contains("a placement on 2 GPUs for a job of 5"));
  CHECK_THROWS_WITH(place_job(job, {0, 1, 2, 3, 8}, 8),
                    Catch::Contains("gpu 8 does not exist (there are 8 GPUs)"));
  CHECK_THROWS_WITH(place_job(job, {}, 4), Catch::Contains("a job of 5 GPUs does not fit a system of 4"));
}
