#include "workloads/import/recognise_trace.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/refusal.hpp"
#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"
#include "tests/unit/workloads/import/nsight_database.hpp"
#include "workloads/import/trace_files.hpp"

using namespace lightrail;

namespace {

std::string format_of(const std::string& path) {
  const auto is = recognise_trace(path);
  return is ? is->format : "none";
}

}  // namespace

TEST_CASE("traces of every format are recognised by how they begin, whatever they are called") {
  CHECK(format_of("tests/data/kineto-megatron-tp8/megatron_kineto_0.json.gz") == "kineto");
  CHECK(format_of("tests/data/kineto-dlrm/rank0.json") == "kineto");
  CHECK(format_of("tests/data/chakra/all_to_all_8npus_1MB/all_to_all.0.et") == "chakra");
  CHECK(format_of("tests/data/chakra/feeder_tests/chakra.0.et.gz") == "chakra");
  CHECK(format_of("tests/data/goal/binary_tree_32.goal") == "goal");
  CHECK(format_of("tests/data/goal/dissemination_16.goal") == "goal");
  CHECK(format_of("tests/data/aicb/moe_tp2_ep16_pp12_9216gpus.txt") == "aicb");
  CHECK(format_of("tests/data/aicb/L7B-M1-C04_Llama7B_megatron_tp2_pp1_mbs1.csv") == "aicb-csv");
  TraceFolder folder;
  const std::string x = folder.gzip("x", KinetoText(0, 1).launch("a", 80, 90, 5, 1).text());
  CHECK(format_of(x) == "kineto");
  {
    NsightDatabase made(folder.path("y"));
    made.launch(31, "a", 100, 110, 190, 1);
  }
  CHECK(format_of(folder.path("y")) == "nsight");
  CHECK(format_of(folder.plain("z", R"({"pg_config": {}, "entries": []})")) == "kineto");
  CHECK(format_of(folder.plain("j", R"({"workload_graph": []})")) == "chakra");
}

TEST_CASE("files that no format reads as they are say what to do with them") {
  const auto sentence = [](const std::string& text) {
    const auto is = recognise_beginning(text);
    return is ? sentence_of(*is) : "none";
  };
  CHECK_THAT(sentence("\x80\x04\x95" + std::string("rest")),
             Catch::StartsWith("this is a pickle, as PyTorch's flight recorder writes it: give it as JSON"));
  CHECK_THAT(sentence(R"({"schema": "1.1.0-chakra.0.0.4", "nodes": []})"),
             Catch::StartsWith("this is an execution trace of PyTorch, which has no times: give"));
  CHECK_THAT(sentence("<algo name=\"x\"/>"), Catch::StartsWith("this is an algorithm of MSCCL"));
  CHECK_THAT(sentence("<system version=\"1\"><cpu/></system>"), Catch::EndsWith("nccl-topo reads it"));
  CHECK_THAT(sentence("<scenario name=\"x\"/>"), Catch::StartsWith("this is a scenario"));
  CHECK(sentence("id\tName\n1\tLLaMA_7B\n") == "none");
  CHECK(sentence("") == "none");
}

TEST_CASE("a length that is a pickle's first bytes is still a Chakra trace") {
  // GlobalMetadata of 256 bytes: 0x80 0x02, then its version.
  std::string text = "\x80\x02\x0a\xfd\x01" + std::string(253, 'v') + "\x07\x08\x01\x12\x03" + "abc";
  REQUIRE(recognise_beginning(text));
  CHECK(recognise_beginning(text)->format == "chakra");
}

TEST_CASE("files of one import are of one format") {
  TraceFolder folder;
  const std::string goal = folder.plain("b", "// a schedule\nnum_ranks 1\nrank 0 {\n}\n"),
                    json = folder.plain("a", KinetoText(0, 1).text()), list = folder.plain("c", "nothing");
  CHECK(recognise_traces({list, goal}).format == "goal");
  CHECK(test::refusal([&] {
          (void)recognise_traces({json, goal});
        }) == "this is a GOAL schedule, but " + json +
                  " is a JSON trace of PyTorch's profiler: an import takes one format");
  CHECK(test::refusal([&] { (void)recognise_traces({"tests/data/goal"}); }) ==
        "a folder: name its files ('tests/data/goal/*')");
  CHECK(
      test::refusal([&] { (void)recognise_traces({list}); }) ==
      "looks like no trace that is known (of kineto, nsight, chakra, goal, aicb, aicb-csv): name the format "
      "before the files if it is");
}

TEST_CASE("what is refused in one format is told to be another's") {
  CHECK(import_refusal({"goal", {"tests/data/kineto-dlrm/rank0.json"}}) ==
        "rank0.json: this is a JSON trace of PyTorch's profiler (format kineto)");
  CHECK(import_refusal({"kineto", {"tests/data/goal/binary_tree_32.goal"}}) ==
        "binary_tree_32.goal: this is a GOAL schedule (format goal)");
  CHECK_THROWS_WITH(read_own_trace("tests/data/goal/binary_tree_32.goal"),
                    Catch::Contains("this is a GOAL schedule (format goal)") &&
                        Catch::Contains("cannot read trace as HDF5"));
}
