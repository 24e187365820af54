#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/base/error.hpp"
#include "engine/base/random.hpp"
#include "tests/support/mutated.hpp"
#include "tests/unit/workloads/import/chakra_text.hpp"
#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"
#include "tests/unit/workloads/import/nsight_database.hpp"
#include "workloads/program/check.hpp"

using namespace lightrail;

namespace {

constexpr int mutations = 3000;

/// Every mutation either imports into a job that can be checked, or is refused as the user's mistake.
void fuzz(const ImportOptions& options, const std::string& file, const std::string& good,
          std::uint64_t seed) {
  Random random(seed, ComponentId{0}, 0);
  int taken = 0, refused = 0;
  for (int i = 0; i < mutations; ++i) {
    std::ofstream(file, std::ios::binary) << mutated(good, random);
    try {
      Job job = imported(options);
      GroupTable groups;
      for (const auto& kind : job.groups) groups.add(kind, job.gpu_count);
      ErrorList errors;
      check_programs(job.programs, groups, job.names, {}, errors);
      ++taken;
    } catch (const InputErrors& problem) {
      CHECK(!problem.errors().empty());
      ++refused;
    }
  }
  CHECK(taken + refused == mutations);
  CHECK(refused > mutations / 10);
}

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

ImportOptions options_of(const std::string& format, const std::string& file) {
  ImportOptions options;
  options.format = format;
  options.files = {file};
  return options;
}

}  // namespace

TEST_CASE("3,000 mutations of a GOAL schedule import or are refused") {
  TraceFolder folder;
  const std::string file = folder.path("x.goal");
  fuzz(options_of("goal", file), file, content("tests/data/goal/binary_tree_32.goal"), 1);
}

TEST_CASE("3,000 mutations of a GOAL schedule in the LogGOPS model import or are refused") {
  TraceFolder folder;
  const std::string file = folder.path("x.goal");
  ImportOptions options = options_of("goal", file);
  options.set("loggops", "L=2500 o=1500 g=1000 G=6 O=1 S=8");
  fuzz(options, file, content("tests/data/goal/dissemination_16.goal"), 8);
}

TEST_CASE("3,000 mutations of a GOAL schedule with receipts import or are refused") {
  TraceFolder folder;
  const std::string file = folder.path("x.goal");
  ImportOptions options = options_of("goal", file);
  options.set("send-ends", "eager").set("eager-limit", "0 B").set("message-time", "1 us");
  fuzz(options, file, content("tests/data/goal/binary_tree_32.goal"), 9);
}

TEST_CASE("3,000 mutations of a flight recorder import or are refused") {
  TraceFolder folder;
  const std::string file = folder.path("rank0.json");
  fuzz(
      options_of("kineto", file), file,
      R"({"version": "2.4", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0]"}}, "entries": [
           {"record_id": 0, "process_group": ["0", "default_pg"], "profiling_name": "nccl:all_reduce",
            "time_created_ns": 1000, "duration_ms": 0.5, "input_sizes": [[4, 256]], "input_dtypes": ["Half"],
            "output_sizes": [[4, 256]], "state": "completed"},
           {"record_id": 1, "process_group": ["0", "default_pg"], "profiling_name": "nccl:_all_gather_base",
            "time_created_ns": 9000, "duration_ms": 0.1, "input_sizes": [[16]], "input_dtypes": ["BFloat16"],
            "output_sizes": [[16]], "state": "started"}]})",
      10);
}

TEST_CASE("3,000 mutations of a Chakra trace import or are refused") {
  TraceFolder folder;
  const std::string file = folder.path("t.0.et");
  const std::string good =
      ChakraBytes()
          .node({.id = 1, .type = 1, .inputs = "[ '[{\"pg_name\":\"0\",\"ranks\":[0]}]' ]"})
          .node({.id = 2, .name = "gemm", .duration_us = 10, .integers = {{"is_cpu_op", 0}, {"tid", 7}}})
          .node({.id = 3,
                 .type = 7,
                 .data = {2},
                 .integers = {{"comm_type", 0}, {"comm_size", 64}},
                 .texts = {{"pg_name", "0"}}})
          .node({.id = 4,
                 .type = 5,
                 .control = {3},
                 .integers = {{"comm_dst", 0}, {"comm_tag", 3}, {"comm_size", 64}}})
          .node({.id = 5,
                 .type = 6,
                 .data = {2},
                 .integers = {{"comm_src", 0}, {"comm_tag", 3}, {"comm_size", 64}}})
          .node({.id = 6, .type = 2, .data = {4, 5}, .integers = {{"tensor_size", 4096}}})
          .bytes();
  fuzz(options_of("chakra", file), file, good, 2);
}

TEST_CASE("3,000 mutations of an AICB workload import or are refused") {
  TraceFolder folder;
  const std::string file = folder.path("w.txt");
  ImportOptions options = options_of("aicb", file);
  options.set("pipeline", "interleaved");
  fuzz(options, file,
       "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 2 vpp: 2 ga: 2 all_gpus: 8 "
       "checkpoints: 0 "
       "pp_comm 4096\n8\n"
       "embedding_layer -1 1000 ALLREDUCE 64 1 NONE 0 1 NONE 0 100\n"
       "attention_column -1 2000 ALLGATHER 64 4000 REDUCESCATTER 64 1 NONE 0 100\n"
       "attention_column -1 2000 ALLTOALL_EP 64 4000 REDUCESCATTER 64 1 NONE 0 100\n"
       "final_column -1 1 ALLGATHER 64 1 NONE 0 1 NONE 0 100\n"
       "embedding_layer -1 1000 ALLREDUCE 64 1 NONE 0 1 NONE 0 100\n"
       "attention_column -1 2000 ALLGATHER 64 4000 REDUCESCATTER 64 1 NONE 0 100\n"
       "attention_column -1 2000 ALLTOALL_EP 64 4000 REDUCESCATTER 64 1 NONE 0 100\n"
       "final_column -1 1 ALLGATHER 64 1 NONE 0 1 REDUCESCATTER_DP_EP 512 100\n",
       3);
}

TEST_CASE("3,000 mutations of an AICB run import or are refused") {
  TraceFolder folder;
  const std::string file = folder.path("w.csv");
  fuzz(options_of("aicb-csv", file), file,
       "[rank0 ~ "
       "rank7]\ncomm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional,_elapsed_time\n"
       "CommType.all_reduce,CommGroup.tp_group,2,64,forward,None,None,,None\n"
       "CommType.computation,None,None,\"((1, 2), (3, 4))\",forward,None,None,,2.5\n"
       "CommType.barrier,CommGroup.all,8,None,x,None,None,,None\n"
       "CommType.reduce_scatter,CommGroup.dp_group,4,128,backward,None,None,,None\n",
       4);
}

TEST_CASE("3,000 mutations of a Kineto trace import or are refused") {
  TraceFolder folder;
  const std::string file = folder.path("rank0.json");
  fuzz(
      options_of("kineto", file), file,
      KinetoText()
          .launch("gemm", 100, 110, 50, 1)
          .launch(
              "ncclDevKernel_AllReduce_Sum_f16_RING_LL", 120, 170, 40, 2, 24,
              R"(,"Collective name":"allreduce","dtype":"Half","In msg nelems":64,"Out msg nelems":64,"Group size":1,"Process Group Ranks":"[0]")")
          .call("cudaDeviceSynchronize", 180, 50, 3)
          .text(),
      5);
}

TEST_CASE("3,000 mutations of a Kineto trace with batches and uneven exchanges import or are refused") {
  TraceFolder folder;
  const std::string file = folder.path("rank0.json");
  const std::string group =
      R"("Group size": 1, "Process Group Name": "3", "Process Group Ranks": "[0]", "dtype": "Half")";
  fuzz(options_of("kineto", file), file,
       KinetoText()
           .event("user_annotation", "ProfilerStep#3", "90", "400", "")
           .launch("gemm", 100, 110, 50, 1)
           .launch("ncclDevKernel_SendRecv", 120, 170, 40, 2, 24,
                   group + R"(, "Collective name": "all_to_allv", "In msg nelems": 64, "Out msg nelems": 64,
                              "In split size": "[8]", "Out split size": "[16]")")
           .event("cpu_op", "record_param_comms", "180", "2",
                  group + R"(, "Collective name": "send", "In msg nelems": 8, "Dst Rank": 0)")
           .event("cpu_op", "record_param_comms", "184", "2",
                  group + R"(, "Collective name": "recv", "In msg nelems": 8, "Src Rank": 0)")
           .launch("ncclDevKernel_SendRecv", 190, 240, 40, 3, 24,
                   group + R"(, "Collective name": "coalesced")")
           .text(),
       6);
}

TEST_CASE("3,000 mutations of a Chakra trace as JSON import or are refused") {
  TraceFolder folder;
  const std::string file = folder.path("t.0.json");
  fuzz(options_of("chakra", file), file,
       R"({"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 4, "runtime": 10, "data_deps": []},
           {"Id": 2, "NodeType": 7, "data_deps": [1], "comm_type": 6, "comm_size": 64},
           {"Id": 3, "NodeType": "COMM_SEND_NODE", "data_deps": [2], "comm_dst": 0, "comm_tag": 1, "comm_size": 8},
           {"Id": 4, "NodeType": 6, "data_deps": [2], "comm_src": 0, "comm_tag": 1, "comm_size": 8}]})",
       7);
}

TEST_CASE("3,000 mutations of an execution trace joined with Kineto's import or are refused") {
  TraceFolder folder;
  const std::string kineto =
      KinetoText()
          .event("cpu_op", "record_param_comms", "95", "20", "\"Record function id\": 70")
          .launch("ncclDevKernel_SendRecv", 100, 110, 5, 1, 20)
          .text();
  ImportOptions options = options_of("kineto", folder.plain("rank0.json", kineto));
  const std::string file = folder.path("et_0.json");
  fuzz(options.set("execution-traces", file), file,
       R"x({"schema": "1.1.1-chakra.0.0.4", "pid": 9, "nodes": [
           {"id": 3, "name": "## process_group:init ##", "ctrl_deps": 2,
            "inputs": {"values": ["[{\"pg_name\": \"5\", \"pg_desc\": \"tp\", \"ranks\": [0]}]"], "shapes": [[]]},
            "attrs": [{"name": "rf_id", "type": "uint64", "value": 1}]},
           {"id": 4, "name": "record_param_comms", "ctrl_deps": 2,
            "inputs": {"values": [[1, 2, 0, 64, 2, "cuda:0"]], "shapes": [[8, 8]], "types": ["Tensor(c10::Half)"]},
            "attrs": [{"name": "rf_id", "type": "uint64", "value": 70},
                      {"name": "collective_name", "type": "string", "value": "all_to_allv"},
                      {"name": "in_msg_nelems", "type": "uint64", "value": 64},
                      {"name": "out_msg_nelems", "type": "uint64", "value": 64},
                      {"name": "in_split_size", "type": "string", "value": "[8]"},
                      {"name": "pg_name", "type": "string", "value": "5"},
                      {"name": "pg_size", "type": "uint64", "value": 1}]}], "finish_ts": 4})x",
       11);
}

TEST_CASE("3,000 mutations of an execution trace with times import or are refused") {
  TraceFolder folder;
  const std::string file = folder.path("et_plus_0.json");
  fuzz(options_of("kineto", file), file,
       R"({"schema": "1.1.1-chakra.0.0.4", "nodes": [
           {"id": 4, "name": "record_param_comms", "ctrl_deps": 2, "ts": 90, "inclusive_dur": 12.5,
            "inputs": {"values": [], "shapes": [], "types": []},
            "attrs": [{"name": "rf_id", "value": 70}, {"name": "collective_name", "value": "allreduce"},
                      {"name": "dtype", "value": "Half"}, {"name": "in_msg_nelems", "value": 64},
                      {"name": "tid", "value": 1}, {"name": "pg_size", "value": 1}]},
           {"id": 5, "name": "ncclDevKernel_AllReduce_Sum_f16_RING_LL", "cat": "kernel", "ctrl_deps": 4,
            "ts": 110, "inclusive_dur": 20.5, "stream": 7, "inputs": {"values": []}, "attrs": []}]})",
       12);
}

TEST_CASE("3,000 mutations of a report of Nsight Systems import or are refused") {
  TraceFolder folder;
  const std::string file = folder.path("rank0.sqlite");
  {
    NsightDatabase made(file);
    made.run("PRAGMA page_size = 512")
        .run("VACUUM")  // small pages: a mutation is more likely to hit a row
        .membership(5, 0xab, 1, 0)
        .launch(5, "gemm", 100, 110, 190, 1)
        .collective(5, "ncclAllReduce", 118, 130, 0xab, 4096)
        .launch(5, "ncclDevKernel_AllReduce_Sum_f16_RING_LL", 120, 200, 250, 2, 20)
        .collective(5, "ncclAllGather", 150, 151, 0xab, 100)
        .collective(5, "ncclAllGather", 152, 153, 0xab, 100)
        .range(5, "ncclGroupEnd", 154, 170)
        .launch(5, "ncclDevKernel_AllGather_RING_LL", 160, 260, 290, 3, 20);
  }
  const std::string good = content(file);
  fuzz(options_of("nsight", file), file, good, 13);
}
