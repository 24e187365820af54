#include "workloads/import/chakra/chakra_json.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"

using namespace lightrail;

namespace {

std::string graph(const std::string& nodes) {
  return "{\"workload_graph\": [" + nodes + "]}";
}

const std::string compute =
    R"({"Id": 1, "Name": "gemm", "NodeType": 4, "is_cpu_op": false, "runtime": 10, "data_deps": []})";
const std::string reduce =
    R"({"Id": 2, "Name": "sum", "NodeType": "COMM_COLL_NODE", "data_deps": [1], "comm_type": "ALL_REDUCE", "comm_size": 64})";

}  // namespace

TEST_CASE("a Chakra trace as JSON is the same graph, and groups may stand beside it") {
  TraceFolder folder;
  const Job job = imported({"chakra",
                            {folder.plain("t.0.json", graph(compute + "," + reduce)),
                             folder.gzip("t.1.json.gz", graph(compute + "," + reduce)),
                             folder.plain("groups.json", R"({"0": [0, 1]})")}});
  CHECK(job.gpu_count == 2);
  const Program& p = program_of(job, 1);
  REQUIRE(p.ops.size() == 2);
  CHECK(p.ops[1].collective == CollectiveType::all_reduce);
  CHECK(p.ops[1].bytes == 64);
  CHECK(p.ops[0].duration == microseconds(10));
  CHECK(p.ops[1].dependency_count == 1);
}

TEST_CASE("what is wrong with a Chakra trace as JSON is said with its node") {
  TraceFolder folder;
  const auto refusal = [&](const std::string& nodes) {
    return import_refusal({"chakra", {folder.plain("t.0.json", graph(nodes))}});
  };
  CHECK(refusal(compute) == "");
  CHECK(refusal(compute + ", 7") == "t.0.json: node 1 of workload_graph: is no object");
  CHECK(refusal(R"({"Name": "x"})") == "t.0.json: node 0 of workload_graph: lacks its 'Id'");
  CHECK(refusal(R"({"Id": 3, "NodeType": "SOME"})") ==
        "t.0.json: node 0 of workload_graph: 'NodeType' is no kind of node (1 ... 7, or COMP_NODE ...)");
  CHECK(refusal(R"({"Id": 3, "NodeType": 4, "runtime": -1})") ==
        "t.0.json: node 0 of workload_graph: 'runtime' -1 is negative");
  CHECK(refusal(R"({"Id": 3, "NodeType": 4, "tensor_size": "big"})") ==
        "t.0.json: node 0 of workload_graph: 'tensor_size' is no whole number");
  CHECK(refusal(R"({"Id": 3, "NodeType": 4, "data_deps": 1})") ==
        "t.0.json: node 0 of workload_graph: 'data_deps' is no list");
  CHECK(refusal(R"({"Id": 3, "NodeType": 4, "data_deps": ["a"]})") ==
        "t.0.json: node 0 of workload_graph: 'data_deps' holds \"a\"");
  CHECK(refusal("") == "");
  CHECK(import_refusal({"chakra", {folder.plain("t.0.json", "{\"workload_graph\": [1, ")}}) ==
        "t.0.json: broken JSON (expected {\"workload_graph\": [...]})");
}
