#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>

#include "tests/unit/workloads/import/kineto_text.hpp"
#include "workloads/import/kineto/kineto.hpp"
#include "workloads/import/trace_files.hpp"

using namespace lightrail;

namespace {

const std::string reduce = "ncclDevKernel_AllReduce_Sum_f16_RING_LL";

std::string bytes_of_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string refusal_of(const KinetoText& trace) {
  TraceFolder folder;
  return refusal({folder.plain("r0.json", trace.text())});
}

KinetoText reduction(int rank, int world, const std::string& args, const std::string& kernel = reduce) {
  KinetoText trace(rank, world);
  trace.launch(kernel, 100, 110, 5, 1, 20, args);
  return trace;
}

std::string refusal_of_two(const KinetoText& a, const KinetoText& b) {
  TraceFolder folder;
  return refusal({folder.plain("r0.json", a.text()), folder.plain("r1.json", b.text())});
}

const std::string two =
    R"("Collective name": "allreduce", "dtype": "Half", "In msg nelems": 1024, "Group size": 2)";

}  // namespace

TEST_CASE("a damaged or missing file is refused with the reason") {
  TraceFolder folder;
  std::string whole = folder.gzip("whole.json.gz", KinetoText().launch("a", 100, 110, 50, 1).text());
  std::string data = bytes_of_file(whole);
  CHECK(refusal({whole}) == "");
  CHECK_THAT(refusal({folder.plain("cut.gz", data.substr(0, data.size() / 2))}),
             Catch::StartsWith("cut.gz: gzip data ends early (truncated after "));
  std::string bad = data;
  bad[data.size() - 6] ^= 0x55;  // the checksum
  CHECK_THAT(refusal({folder.plain("bad.gz", bad)}), Catch::StartsWith("bad.gz: damaged gzip data ("));
  CHECK(refusal({folder.path("none.gz")}) == "none.gz: cannot read trace (No such file or directory)");
  CHECK_THAT(refusal({folder.plain("empty.gz", "")}),
             Catch::StartsWith("empty.gz: broken JSON after event 0"));
  CHECK_THROWS_WITH(files_matching(folder.path("x*.gz")), Catch::Contains("no file matches"));
  CHECK_THROWS_WITH(files_matching(folder.path("nowhere/*.gz")),
                    Catch::Contains("cannot read the folder (No such file or directory)"));
}

TEST_CASE("an event that lacks a key or has an impossible value is named") {
  auto with = [](const std::string& event) {
    KinetoText trace;
    trace.events = event;
    return refusal_of(trace);
  };
  CHECK(with(R"({"ph": "X", "cat": "kernel", "name": "k", "dur": 5, "args": {"correlation": 1}})") ==
        "r0.json: event 0 'k' (kernel): lacks the key 'ts'");
  CHECK(with(R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 5, "args": {"correlation": 1}})") ==
        "r0.json: event 0 'k' (kernel): lacks the key 'dur'");
  CHECK(with(R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 5, "dur": 5, "args": {}})") ==
        "r0.json: event 0 'k' (kernel): lacks the argument 'correlation'");
  CHECK(
      with(R"({"ph": "X", "cat": "kernel", "name": "k", "ts": 5, "dur": -5, "args": {"correlation": 1}})") ==
      "r0.json: event 0 'k' (kernel): negative duration -5 us");
  CHECK(
      with(R"({"ph": "X", "cat": "kernel", "name": "k", "ts": -7, "dur": 5, "args": {"correlation": 1}})") ==
      "r0.json: event 0 'k' (kernel): negative time -7 us");
  CHECK(with(R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "dur": 5})") ==
        "r0.json: event 0 'cudaLaunchKernel' (cuda_runtime): lacks the key 'ts'");
  CHECK(with("") == "r0.json: no kernel, copy or memset among the events (was the GPU profiled?)");
  KinetoText trace(0, 1);
  trace.launch("a", 100, 110, 5, 1);
  trace.launch("b", 2'000'000'000, 2'000'000'010, 5, 2);
  CHECK(refusal_of(trace) == "");
}

TEST_CASE("a collective that does not tell what it moves is refused") {
  CHECK(
      refusal_of(reduction(0, 1, R"("dtype": "Half", "Group size": 1)")) ==
      "r0.json: event 1 '" + reduce +
          "' (kernel): no size: neither its arguments nor the call around its launch (record_param_comms; of "
          "Nsight Systems NCCL's NVTX range with its payload) tell the elements (collective-bytes gives "
          "one)");
  CHECK(refusal_of(
            reduction(0, 1, R"("In msg nelems": 4, "Group size": 1)", "ncclDevKernel_AllGather_RING_LL")) ==
        "r0.json: event 1 'ncclDevKernel_AllGather_RING_LL' (kernel): no data type (call '', type ''); give "
        "element-bytes");
  CHECK_THAT(refusal_of(reduction(0, 1, R"("In msg nelems": 4, "dtype": "Half", "Group size": 1)",
                                  "ncclDevKernel_Gossip_f16")),
             Catch::Contains("cannot tell which communication this is (call ''"));
  CHECK(refusal_of(
            reduction(0, 1, R"("In msg nelems": 1000000000000000000, "dtype": "Half", "Group size": 1)")) ==
        "r0.json: event 1 '" + reduce +
            "' (kernel): 1000000000000000000 elements of 2 bytes are more than 16 TiB");
  CHECK(refusal_of(reduction(
            0, 1, R"("Collective name": "send", "In msg nelems": 4, "dtype": "Half", "Group size": 1)",
            "ncclDevKernel_SendRecv")) ==
        "r0.json: event 1 'ncclDevKernel_SendRecv' (kernel): no 'Src Rank' or 'Dst Rank' of its partner");
}

TEST_CASE("files that do not make one job are refused") {
  CHECK(refusal_of_two(reduction(0, 2, two), reduction(0, 2, two)) == "r1.json: rank 0 is also in r0.json");
  CHECK(refusal_of_two(reduction(0, 2, two), reduction(1, 3, two)) ==
        "r1.json: world of 3 ranks, but 2 in r0.json");
  CHECK(refusal_of(reduction(0, 2, two)) ==
        "r0.json: no file for rank 1 of 2 (one file given; others=same lets it stand for all)");
  CHECK(refusal_of(reduction(3, 2, two)) == "r0.json: distributedInfo: rank 3 of 2 ranks");
  CHECK(
      refusal_of_two(
          reduction(0, 2, two),
          reduction(
              1, 2,
              R"("Collective name": "allreduce", "dtype": "Half", "In msg nelems": 512, "Group size": 2)")) ==
      "r1.json: collective 0 is all-reduce of 1024 B, but all-reduce of 2048 B in r0.json");
  KinetoText twice = reduction(1, 2, two);
  twice.launch(reduce, 200, 210, 5, 2, 20, two);
  CHECK(refusal_of_two(reduction(0, 2, two), twice) ==
        "r1.json: 2 collectives in a group of 2 ranks, but 1 in r0.json");
  KinetoText none(1, 2), none_first(0, 2);
  none.launch("a", 100, 110, 5, 1);
  none_first.launch("a", 100, 110, 5, 1);
  CHECK(refusal_of_two(reduction(0, 2, two), none) ==
        "r1.json: no collective in a group of 2 ranks, but 1 in r0.json");
  CHECK_THAT(refusal_of_two(none_first, reduction(1, 2, two)),
             Catch::StartsWith("r0.json: rank 0 has no collective of a group in which r1.json has 1"));
}

TEST_CASE("a process group that does not fit the files is refused") {
  auto group = [](const std::string& ranks, int size) {
    return R"("Collective name": "allreduce", "dtype": "Half", "In msg nelems": 4, "Process Group Description": "tp", "Group size": )" +
           std::to_string(size) + (ranks.empty() ? "" : R"(, "Process Group Ranks": ")" + ranks + "\"");
  };
  CHECK(refusal_of(reduction(0, 1, group("", 4))) ==
        "r0.json: a collective of 4 ranks does not list them, and the trace has 1 ranks");
  CHECK(refusal_of(reduction(0, 1, group("[0, 7]", 2))) ==
        "r0.json: process group 'tp' names rank 7, of which there is no file (one rank; others=same lets it "
        "stand for all)");
  CHECK(refusal_of(reduction(0, 1, group("[0, 0]", 2))) == "r0.json: process group 'tp' names a rank twice");
  CHECK(refusal_of_two(reduction(0, 2, group("[1]", 1)), reduction(1, 2, group("[1]", 1))) ==
        "r0.json: rank 0 takes part in process group 'tp' without being its member");
}
