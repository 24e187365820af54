#include "workloads/import/kineto/kineto_communications.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/workloads/import/evaluate_job.hpp"
#include "tests/unit/workloads/import/imported.hpp"
#include "tests/unit/workloads/import/kineto_text.hpp"

using namespace lightrail;
using Bytes64 = std::vector<std::int64_t>;

namespace {

const std::string exchange_kernel = "ncclDevKernel_SendRecv";

/// Arguments of an uneven all-to-all of 16-bit elements over all ranks.
std::string exchange_args(int world, int in, int out, const std::string& in_split,
                          const std::string& out_split) {
  return R"("Collective name": "all_to_allv", "dtype": "BFloat16", "In msg nelems": )" + std::to_string(in) +
         R"(, "Out msg nelems": )" + std::to_string(out) + R"(, "Group size": )" + std::to_string(world) +
         R"(, "In split size": ")" + in_split + R"(", "Out split size": ")" + out_split + "\"";
}

/// Of the all-to-alls of GPU 0, in order: bytes from every member to every other.
std::vector<Bytes64> matrices(const Job& job) {
  std::vector<Bytes64> all;
  for (const Op& op : program_of(job, 0).ops)
    if (op.collective == CollectiveType::all_to_all && op.kind == OpKind::collective)
      all.push_back(job.programs.splits[op.split].bytes);
  return all;
}

}  // namespace

TEST_CASE("an uneven all-to-all moves what its split sizes say, pair by pair") {
  // Rows of 8 elements: rank 0 gives 3 rows to rank 1 and keeps 1, rank 1 gives 2 to rank 0.
  TraceFolder folder;
  const ImportOptions options{
      "kineto",
      {folder.plain("r0.json", KinetoText(0, 2)
                                   .launch(exchange_kernel, 100, 110, 5, 1, 20,
                                           exchange_args(2, 32, 24, "[1, 3]", "[1, 2]"))
                                   .text()),
       folder.plain("r1.json", KinetoText(1, 2)
                                   .launch(exchange_kernel, 100, 110, 5, 1, 20,
                                           exchange_args(2, 16, 24, "[2, 0]", "[3, 0]"))
                                   .text())}};
  const Job job = imported(options);
  CHECK(matrices(job) == std::vector<Bytes64>{{16, 48, 32, 0}});
  CHECK(program_of(job, 0).ops.back().bytes == 64);
  CHECK(program_of(job, 1).ops.back().bytes == 64);
  CHECK(program_of(job, 1).ops.back().split == program_of(job, 0).ops.back().split);
  CHECK(job.notes.empty());
}

TEST_CASE("a rank that neither gives nor takes has no kernel, but takes part") {
  TraceFolder folder;
  KinetoText silent(2, 3);
  silent.launch("a", 50, 60, 5, 1)
      .event("cpu_op", "record_param_comms", "90", "5", exchange_args(3, 0, 0, "[0, 0, 0]", "[0, 0, 0]"));
  const std::string later =
      R"("Collective name": "allreduce", "dtype": "Half", "In msg nelems": 4, "Group size": 3)";
  silent.launch("ncclDevKernel_AllReduce_Sum_f16_RING_LL", 100, 110, 5, 2, 20, later);
  std::vector<std::string> files{folder.plain("r2.json", silent.text())};
  for (int r = 0; r < 2; ++r)
    files.push_back(
        folder.plain("r" + std::to_string(r) + ".json",
                     KinetoText(r, 3)
                         .launch(exchange_kernel, 80, 90, 5, 1, 20,
                                 exchange_args(3, 8, 8, r == 0 ? "[0, 8, 0]" : "[8, 0, 0]",
                                               r == 0 ? "[0, 8, 0]" : "[8, 0, 0]"))
                         .launch("ncclDevKernel_AllReduce_Sum_f16_RING_LL", 100, 110, 5, 2, 20, later)
                         .text()));
  const Job job = imported({"kineto", files});
  CHECK(matrices(job) == std::vector<Bytes64>{{0, 16, 0, 16, 0, 0, 0, 0, 0}});
  int exchanges = 0;
  for (const Op& op : program_of(job, 2).ops) exchanges += op.collective == CollectiveType::all_to_all;
  CHECK(exchanges == 1);
}

TEST_CASE("an all-to-all in which nobody gives anything takes no time") {
  TraceFolder folder;
  std::vector<std::string> files;
  for (int r = 0; r < 2; ++r)
    files.push_back(folder.plain(
        "r" + std::to_string(r) + ".json",
        KinetoText(r, 2)
            .launch(exchange_kernel, 100, 110, 5, 1, 20, exchange_args(2, 0, 0, "[0, 0]", "[0, 0]"))
            .text()));
  const Job job = imported({"kineto", files});
  CHECK(program_of(job, 0).ops.back().kind == OpKind::marker);
}

TEST_CASE("split sizes that do not fit are refused with the event") {
  TraceFolder folder;
  const auto refusal = [&](const std::string& args) {
    return import_refusal(
        {"kineto",
         {folder.plain("r0.json",
                       KinetoText(0, 1).launch(exchange_kernel, 100, 110, 5, 1, 20, args).text())}});
  };
  CHECK(refusal(exchange_args(1, 32, 32, "[3]", "[1]")) ==
        "r0.json: event 1 'ncclDevKernel_SendRecv' (kernel): 'In split size' has 3 rows, which do not divide "
        "32 "
        "elements");
  CHECK(refusal(exchange_args(1, 32, 32, "[-1]", "[1]")) ==
        "r0.json: event 1 'ncclDevKernel_SendRecv' (kernel): 'In split size' holds -1");
  CHECK(refusal(exchange_args(1, 32, 32, "[8, 8, ...]", "[1]")) ==
        "r0.json: event 1 'ncclDevKernel_SendRecv' (kernel): 'In split size' is cut after 2 members, and "
        "nothing "
        "says how long a row is");
}

TEST_CASE("the sends and receives of a batch run together and end together") {
  // Both ranks send first: one after the other they would wait for each other for ever.
  TraceFolder folder;
  std::vector<std::string> files;
  for (int r = 0; r < 2; ++r) {
    const auto args = [&](const char* name, const char* key, int elements) {
      return std::string(R"("Collective name": ")") + name + R"(", "dtype": "Float", "In msg nelems": )" +
             std::to_string(elements) + R"(, "Group size": 2, ")" + key + "\": " + std::to_string(1 - r);
    };
    KinetoText trace(r, 2);
    trace.launch("before", 50, 60, 20, 9, 20)
        .event("cpu_op", "record_param_comms", "90", "2", args("send", "Dst Rank", 8 + r))
        .event("cpu_op", "record_param_comms", "93", "2", args("recv", "Src Rank", 9 - r))
        .launch(exchange_kernel, 100, 110, 5, 1, 20,
                R"("Collective name": "coalesced", "dtype": "Float", "Group size": 2)")
        .launch("after", 120, 130, 5, 2, 20);
    files.push_back(folder.plain("r" + std::to_string(r) + ".json", trace.text()));
  }
  const Job job = imported({"kineto", files});
  const Program& p = program_of(job, 1);
  std::map<OpKind, std::pair<std::int64_t, std::int32_t>> parts;
  for (const Op& op : p.ops)
    if (op.kind == OpKind::send || op.kind == OpKind::recv) parts[op.kind] = {op.bytes, op.peer};
  CHECK(parts[OpKind::send] == std::pair<std::int64_t, std::int32_t>{36, 0});
  CHECK(parts[OpKind::recv] == std::pair<std::int64_t, std::int32_t>{32, 0});
  CHECK(p.streams.back() == "nccl 20 part 1");
  // `after` is on the stream of the batch, behind the marker that both parts precede.
  const Op& after = p.ops.back();
  CHECK(job.names[after.name] == "after");
  const Op& end = p.ops[p.ops.size() - 3];
  CHECK(end.kind == OpKind::marker);
  CHECK(end.dependency_count == 2);
}

TEST_CASE("a communication without a size gets one only when asked for, and a note says so") {
  TraceFolder folder;
  ImportOptions options{
      "kineto",
      {folder.plain("r0.json", KinetoText(0, 1)
                                   .launch("ncclDevKernel_AllReduce_Sum_f16_RING_LL", 100, 110, 5, 1, 20,
                                           R"("dtype": "Half", "Group size": 1)")
                                   .text())}};
  CHECK_THAT(import_refusal(options), Catch::Contains("no size:"));
  const Job job = imported(options.set("collective-bytes", "1 MiB"));
  CHECK(program_of(job, 0).ops.back().bytes == 1 << 20);
  REQUIRE(job.notes.size() == 1);
  CHECK_THAT(job.notes[0],
             Catch::EndsWith("1 communications without a size take 1048576 B (collective-bytes)"));
}

TEST_CASE("c10d:: calls alone tell sizes, parts and partners; a group that nobody tells is everybody") {
  TraceFolder folder;
  std::vector<std::string> files;
  for (int r = 0; r < 2; ++r) {
    KinetoText trace(r, 2);
    const auto call = [&](const char* name, const std::string& args, const char* kernel, int at) {
      trace.event("cpu_op", std::string("c10d::") + name, std::to_string(at), "20", args);
      trace.launch(kernel, at + 10, at + 20, 5, at, 20);
    };
    call("_allgather_base_", R"("Input Dims": [[16], [8]], "Input type": ["c10::BFloat16", "c10::BFloat16"])",
         "ncclDevKernel_AllGather_RING_LL", 100);
    call("_reduce_scatter_base_", R"("Input Dims": [[8], [16]], "Input type": ["c10::BFloat16"])",
         "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", 200);
    call("alltoall_base_",
         r == 0 ? R"("Input Dims": [[4, 2], [5, 2]], "Input type": ["float", "float"],
                     "Concrete Inputs": ["", "", "", "[1, 3]", "[1, 4]"])"
                : R"("Input Dims": [[4, 2], [3, 2]], "Input type": ["float", "float"],
                     "Concrete Inputs": ["", "", "", "[4, 0]", "[3, 0]"])",
         exchange_kernel.c_str(), 300);
    call(r == 0 ? "send" : "recv_",
         r == 0 ? R"("Input Dims": [[[8]], [], [], []], "Input type": ["TensorList", ""],
                     "Concrete Inputs": ["", "", "1", "0"])"
                : R"("Input Dims": [[[8]], [], [], []], "Input type": ["TensorList", ""],
                     "Concrete Inputs": ["", "", "0", "0"])",
         exchange_kernel.c_str(), 400);
    files.push_back(folder.plain("r" + std::to_string(r) + ".json", trace.text()));
  }
  const Job job = imported(ImportOptions{"kineto", files}.set("element-bytes", "4"));
  std::vector<std::int64_t> bytes;
  for (const Op& op : program_of(job, 1).ops)
    if (op.kind == OpKind::collective || op.kind == OpKind::recv) bytes.push_back(op.bytes);
  CHECK(bytes == std::vector<std::int64_t>{32, 32, 40, 32});
  CHECK(matrices(job) == std::vector<Bytes64>{{8, 32, 24, 0}});
  REQUIRE(job.groups.size() == 1);
  CHECK(job.groups[0].name == "world");
  REQUIRE(job.notes.size() == 1);
  CHECK_THAT(job.notes[0], Catch::Contains("the traces do not say its members: taken as everybody"));
}

TEST_CASE("a recommendation model of eight ranks exchanges what its rule says, and all of it back") {
  // tests/data/kineto-dlrm/make.py: (7 f + 3 t) mod 11 x 4 rows of 64 B; rank 7 gives and takes nothing.
  ImportOptions options{"kineto", {}};
  for (int r = 0; r < 8; ++r)
    options.files.push_back("tests/data/kineto-dlrm/rank" + std::to_string(r) + ".json");
  const Job job = imported(options);
  Bytes64 forward(64), backward(64);
  for (std::size_t f = 0; f < 7; ++f)
    for (std::size_t t = 0; t < 7; ++t)
      forward[f * 8 + t] = backward[t * 8 + f] = static_cast<std::int64_t>((7 * f + 3 * t) % 11 * 4 * 64);
  CHECK(matrices(job) == std::vector<Bytes64>{forward, backward});
  CHECK(job.notes.empty());
  for (std::uint32_t r = 0; r < 8; ++r) {
    int messages = 0;
    for (const Op& op : program_of(job, r).ops)
      messages += op.kind == OpKind::send || op.kind == OpKind::recv;
    CHECK(messages == 2);
  }
}
