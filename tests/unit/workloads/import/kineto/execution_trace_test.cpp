#include "workloads/import/kineto/execution_trace.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"

using namespace lightrail;

namespace {

/// A node as ExecutionTraceObserver writes it.
std::string node(int id, const std::string& name, int rf_id, const std::string& values,
                 const std::string& attrs = "", const std::string& more = "") {
  return R"({"id": )" + std::to_string(id) + R"(, "name": ")" + name +
         R"(", "ctrl_deps": 2, "inputs": {"values": )" + values +
         R"(, "shapes": [], "types": [], "strides": []}, "attrs": [{"name": "rf_id", "type": "uint64", "value": )" +
         std::to_string(rf_id) + R"(}, {"name": "tid", "type": "uint64", "value": 1})" + attrs + "]" + more +
         "}";
}

std::string attr(const std::string& name, const std::string& value) {
  return R"(, {"name": ")" + name + R"(", "type": "x", "value": )" + value + "}";
}

std::string nodes(const std::vector<std::string>& all) {
  std::string text = R"({"schema": "1.1.1-chakra.0.0.4", "pid": 9, "nodes": [)";
  for (std::size_t i = 0; i < all.size(); ++i) text += (i ? ", " : "") + all[i];
  return text + R"(], "finish_ts": 1})";
}

const std::string groups = R"(["[{\"pg_name\": \"5\", \"pg_desc\": \"tp\", \"ranks\": [0, 1]}]"])";

std::string call_of(int id, int rf_id, const std::string& attrs, const std::string& more = "") {
  return node(id, "record_param_comms", rf_id, "[]",
              attr("dtype", R"("Half")") + attr("pg_name", R"("5")") + attr("pg_size", "2") + attrs, more);
}

/// An all-reduce of 512 elements, then an all-to-all: rank 0 gives 3 rows of 8 to rank 1, which gives 2 back.
std::string observed(int rank) {
  return nodes({node(3, "## process_group:init ##", 1, groups),
                call_of(4, 70,
                        attr("collective_name", R"("allreduce")") + attr("in_msg_nelems", "512") +
                            attr("out_msg_nelems", "512")),
                call_of(5, 80,
                        attr("collective_name", R"("all_to_allv")") +
                            attr("in_msg_nelems", rank == 0 ? "32" : "16") + attr("out_msg_nelems", "24") +
                            attr("in_split_size", rank == 0 ? R"("[1, 3]")" : R"("[2, 0]")") +
                            attr("out_split_size", rank == 0 ? R"("[1, 2]")" : R"("[3, 0]")"))});
}

/// A Kineto trace that says of its two communications nothing but their record functions.
std::string silent(int rank, int first_rf_id = 70) {
  return KinetoText(rank, 2)
      .event("cpu_op", "record_param_comms", "95", "20",
             "\"Record function id\": " + std::to_string(first_rf_id))
      .launch("ncclDevKernel_AllReduce_Sum_f16_RING_LL", 100, 110, 5, 1, 20)
      .event("cpu_op", "record_param_comms", "195", "20",
             "\"Record function id\": " + std::to_string(first_rf_id + 10))
      .launch("ncclDevKernel_SendRecv", 200, 210, 5, 2, 20)
      .text();
}

ImportOptions joined(TraceFolder& folder, int first_rf_id = 70) {
  ImportOptions options{"kineto", {}};
  for (int rank : {0, 1}) {
    options.files.push_back(
        folder.plain("kineto_" + std::to_string(rank) + ".json", silent(rank, first_rf_id)));
    folder.plain("et_" + std::to_string(rank) + ".json", observed(rank));
  }
  return options.set("execution-traces", folder.path("et_*.json"));
}

}  // namespace

TEST_CASE("an execution trace joined by rf_id says sizes, parts and groups that Kineto's does not") {
  TraceFolder folder;
  const Job job = imported(joined(folder));
  std::vector<const Op*> collectives;
  for (const Op& op : program_of(job, 1).ops)
    if (op.kind == OpKind::collective) collectives.push_back(&op);
  REQUIRE(collectives.size() == 2);
  CHECK(collectives[0]->collective == CollectiveType::all_reduce);
  CHECK(collectives[0]->bytes == 512 * 2);
  CHECK(collectives[1]->collective == CollectiveType::all_to_all);
  CHECK(job.programs.splits[collectives[1]->split].bytes == std::vector<std::int64_t>{16, 48, 32, 0});
  REQUIRE(job.notes.size() == 2);
  CHECK_THAT(job.notes[0], Catch::Contains("2 of 2 communication calls joined with"));
  CHECK_THAT(import_refusal({"kineto", {folder.path("kineto_0.json"), folder.path("kineto_1.json")}}),
             Catch::Contains("(kernel): no size: neither its arguments nor"));
}

TEST_CASE("the list of an execution trace's process group completes one that Kineto lacks") {
  const ExecutionTrace trace = [] {
    TraceFolder folder;
    return read_execution_trace(folder.plain("et_0.json", observed(0)));
  }();
  REQUIRE(trace.groups.size() == 1);
  CHECK(trace.groups[0].name == "5");
  CHECK(trace.groups[0].description == "tp");
  CHECK(trace.groups[0].ranks == std::vector<std::uint32_t>{0, 1});
  CHECK(trace.calls.at(80).in_split->numbers == std::vector<std::int64_t>{1, 3});
  CHECK(trace.calls.at(70).in_elements == 512);
}

TEST_CASE("older execution traces say sizes by their inputs") {
  TraceFolder folder;
  const ExecutionTrace trace = read_execution_trace(
      folder.plain("et_0.json",
                   R"x({"schema": "1.0.1", "nodes": [{"id": 4, "name": "record_param_comms", "rf_id": 7,
                       "inputs": [[8, 9, 0, 32, 4, "cuda:0"], 3, "0", 1, "allreduce", [], [], 2],
                       "input_shapes": [[4, 8], [], [], [], [], [], [], []],
                       "input_types": ["Tensor(float)", "Int", "String", "Int", "String", "", "", "Int"]
}]
})x"));
  CHECK(trace.calls.at(7).in_elements == 32);
  CHECK(trace.calls.at(7).dtype == "float");
  CHECK(trace.calls.at(7).group_size == 2);
}

TEST_CASE("an execution trace with times is a capture: operators launch their kernels") {
  // The matrix product's operator starts at 90 us, its kernel at 110; the all-reduce's call at 140.
  TraceFolder folder;
  const std::string text = nodes(
      {node(3, "## process_group:init ##", 1, groups),
       node(4, "aten::mm", 10, "[]", "", R"(, "ts": 90, "inclusive_dur": 12)"),
       node(5, "gemm", 10, "[]", "", R"(, "cat": "kernel", "ts": 110, "inclusive_dur": 20.5, "stream": 7)"),
       call_of(6, 70, attr("collective_name", R"("allreduce")") + attr("in_msg_nelems", "512"),
               R"(, "ts": 140, "inclusive_dur": 9)"),
       node(7, "ncclDevKernel_AllReduce_Sum_f16_RING_LL", 70, "[]", "",
            R"(, "cat": "kernel", "ts": 160, "inclusive_dur": 30, "stream": 20)")});
  std::string linked = text;
  for (const auto& [kernel, parent] : {std::pair{"\"id\": 5", "4"}, std::pair{"\"id\": 7", "6"}}) {
    const std::size_t at = linked.find("\"ctrl_deps\": 2", linked.find(kernel));
    linked.replace(at, 14, std::string("\"ctrl_deps\": ") + parent);
  }
  const Job job =
      imported({"kineto", {folder.plain("et_plus_0.json", linked), folder.plain("et_plus_1.json", linked)}});
  const Program& p = program_of(job, 1);
  SimTime kernel{}, cpu{};
  std::int64_t bytes = 0;
  for (const Op& op : p.ops) {
    if (op.kind == OpKind::compute) kernel += op.duration;
    if (op.kind == OpKind::host) cpu += op.duration;
    if (op.kind == OpKind::collective) bytes += op.bytes;
  }
  CHECK(kernel == nanoseconds(20'500));
  CHECK(cpu == microseconds(70));  // from the first call to the second launch, as late as the kernel, 20 us
  CHECK(bytes == 1024);
  CHECK(job.capture.step_ps == 100'000'000);  // 90 us to 190 us
}

TEST_CASE("execution traces that cannot be joined are refused") {
  TraceFolder folder;
  CHECK_THAT(import_refusal(joined(folder, 400)),
             Catch::StartsWith("et_0.json: none of the 2 communication calls of") &&
                 Catch::EndsWith("has its rf_id here (is it of another run?)"));
  ImportOptions options = joined(folder);
  CHECK(import_refusal({"kineto", {folder.path("et_0.json"), folder.path("et_1.json")}}) ==
        "et_0.json: a PyTorch execution trace without times: give Kineto's files, and this one as "
        "execution-traces");
  folder.plain("et_1_1.json", observed(1));
  CHECK_THAT(import_refusal(options),
             Catch::StartsWith("et_1_1.json: a second execution trace of rank 1 (the first"));
  CHECK(import_refusal(options.set("execution-traces", folder.path("et_0.json"))) ==
        "kineto_1.json: no execution trace of rank 1 is given");
  folder.plain("observed.json", observed(1));
  CHECK(import_refusal(options.set("execution-traces", folder.path("observed.json"))) ==
        "observed.json: the name of this execution trace has no rank");
  folder.plain("et_0.json", R"({"schema": "1", "nodes": [{)");
  CHECK_THAT(import_refusal(options.set("execution-traces", folder.path("et_?.json"))),
             Catch::StartsWith("et_0.json: broken JSON (expected a PyTorch execution trace"));
}
