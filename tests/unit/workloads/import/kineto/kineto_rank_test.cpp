#include "workloads/import/kineto/kineto_rank.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "tests/unit/workloads/import/evaluate_job.hpp"
#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"

using namespace lightrail;

namespace {

std::string bare(const KinetoText& trace) {
  return "{\"traceEvents\": [" + trace.events + "]}";
}

/// End [us] of the last operation of a GPU.
std::int64_t end_of(const Job& job, std::size_t gpu) {
  const Times times = evaluate(job, [](const Op&) { return 0; });
  return times.end[gpu].empty() ? 0 : times.end[gpu].back() / 1'000'000;
}

}  // namespace

TEST_CASE("HIP's launches pace the kernels as CUDA's do") {
  KinetoText trace;
  trace.call("hipLaunchKernel", 100, 5, 1).kernel("a", 110, 5, 1);
  trace.call("hipExtModuleLaunchKernel", 300, 5, 2).kernel("b", 310, 5, 2);
  TraceFolder folder;
  const Job job = imported({"kineto", {folder.plain("rank0.json", trace.text())}});
  CHECK(end_of(job, 0) == 215);
  CHECK(job.notes.empty());
}

TEST_CASE("without launches the CPU operators pace the kernels, and a note says so") {
  KinetoText trace;
  for (int i = 0; i < 2; ++i) {
    const std::string id = std::to_string(7 + i);
    trace.event("cpu_op", "aten::mm", std::to_string(100 + 200 * i), "20", "\"External id\": " + id);
    trace.kernel("k", 110 + 200 * i, 5, i + 1, 7, "\"External id\": " + id);
  }
  TraceFolder folder;
  const Job job = imported({"kineto", {folder.plain("rank0.json", trace.text())}});
  CHECK(end_of(job, 0) == 215);
  REQUIRE(job.notes.size() == 1);
  CHECK_THAT(job.notes[0],
             Catch::Contains("no launches among the events: 2 of 2 operations are launched where "
                             "their CPU operators started"));
}

TEST_CASE("without launches and CPU operators kernels follow one another, and a note says so") {
  TraceFolder folder;
  const Job job = imported(
      {"kineto",
       {folder.plain("rank0.json", KinetoText().kernel("a", 110, 5, 1).kernel("b", 310, 5, 2).text())}});
  CHECK(end_of(job, 0) == 10);
  REQUIRE(job.notes.size() == 1);
  CHECK_THAT(job.notes[0], Catch::Contains("the pace of the CPU is lost"));
}

TEST_CASE("each GPU of a process is a rank of its own") {
  KinetoText trace;
  trace.call("cudaLaunchKernel", 100, 5, 1).kernel("a", 110, 50, 1, 7, "\"device\": 2");
  trace.call("cudaLaunchKernel", 120, 5, 2).kernel("b", 130, 50, 2, 7, "\"device\": 5");
  TraceFolder folder;
  const Job job = imported({"kineto", {folder.plain("all.json", bare(trace))}});
  REQUIRE(job.gpu_count == 2);
  CHECK(end_of(job, 0) == 60);
  CHECK(end_of(job, 1) == 80);
  CHECK(job.names[program_of(job, 1).ops.back().name] == "b");
  REQUIRE(job.notes.size() == 1);
  CHECK_THAT(job.notes[0], Catch::Contains("2 GPUs of one process"));
}

TEST_CASE("a fill on another GPU makes no rank of it, and a note says so") {
  KinetoText trace;
  trace.call("cudaLaunchKernel", 100, 5, 1).kernel("a", 110, 500, 1, 7, "\"device\": 1");
  trace.call("cudaLaunchKernel", 120, 5, 2).kernel("fill", 130, 1, 2, 7, "\"device\": 0");
  TraceFolder folder;
  const Job job = imported({"kineto", {folder.plain("rank0.json", trace.text())}});
  CHECK(job.gpu_count == 1);
  REQUIRE(job.notes.size() == 1);
  CHECK_THAT(job.notes[0], Catch::Contains("1 operations on GPU 0 are left out"));
}

TEST_CASE("the traces of several processes in one file are refused") {
  KinetoText trace;
  trace.call("cudaLaunchKernel", 100, 5, 1).kernel("a", 110, 50, 1, 7, "\"device\": 0");
  trace.call("cudaLaunchKernel", 120, 5, 1).kernel("b", 130, 50, 1, 7, "\"device\": 1");
  TraceFolder folder;
  CHECK_THAT(
      import_refusal({"kineto", {folder.plain("all.json", bare(trace))}}),
      Catch::StartsWith("all.json: two launches have the correlation 1: the file holds the traces of several "
                        "processes"));
}

TEST_CASE("the trace says its rank before its name does, and a pattern before both") {
  TraceFolder folder;
  const auto rank = [&](const std::string& name, const std::string& text, const std::string& pattern = "") {
    return read_kineto_file(folder.plain(name, text), {0, pattern, "", 0})[0].rank;
  };
  const KinetoText plain = KinetoText(4, 8).launch("a", 100, 110, 5, 1);
  KinetoText told;
  told.launch("a", 100, 110, 5, 1).event("cpu_op", "record_param_comms", "90", "5", "\"Rank\": 6");
  CHECK(rank("rank_1_step_10.json", plain.text()) == 4);
  CHECK(rank("rank_1_step_10.json", bare(told)) == 6);
  CHECK(rank("rank_1_step_10.json", bare(plain)) == 1);
  CHECK(rank("rank_1_step_10.json", plain.text(), "rank_*_step_#.json") == 10);
  CHECK(import_refusal(ImportOptions{"kineto", {folder.path("rank_1_step_10.json")}}.set(
            "rank-pattern", "x#")) == "rank_1_step_10.json: its name does not fit rank-pattern 'x#'");
}

TEST_CASE("the GPU that a trace was recorded on is named, once for all ranks") {
  TraceFolder folder;
  std::vector<std::string> files;
  for (int r = 0; r < 2; ++r) {
    KinetoText trace(r, 2);
    trace.launch("a", 80, 90, 5, 1);
    std::string text = trace.text();
    text.insert(1, R"("deviceProperties": [{"id": 0, "name": "Tesla V100", "warpSize": 32},
                                            {"id": 1, "name": "Tesla V100", "x": [1, {}]}], )");
    files.push_back(folder.plain("rank" + std::to_string(r) + ".json", text));
  }
  CHECK(imported({"kineto", files}).capture.gpus == "Tesla V100");
}

TEST_CASE("a reduced trace holds no memory for what it has dropped") {
  RankTrace trace;
  trace.operations.resize(1000);
  trace.operations[7].communication = 0;
  trace.calls.resize(1000);
  trace.names.resize(1000);
  trace.reduce();
  CHECK(trace.operations.size() == 1);
  CHECK(trace.operations.capacity() < 10);
  CHECK(trace.calls.capacity() == 0);
  CHECK(trace.names.capacity() == 0);
}
