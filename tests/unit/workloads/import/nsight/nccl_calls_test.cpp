#include "workloads/import/nsight/nccl_calls.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.hpp"

using namespace lightrail;
using Bytes64 = std::vector<std::int64_t>;

namespace {

NcclCalls::Kernel kernel(const std::string& name, std::int64_t launch_ns) {
  NcclCalls::Kernel made;
  made.event.category = "kernel";
  made.event.name = name;
  made.event.index = launch_ns;
  made.thread = "t";
  made.launch_ns = launch_ns;
  return made;
}

NcclCalls::Call call(const std::string& name, std::int64_t start_ns, std::uint64_t communicator,
                     std::int64_t bytes) {
  NcclCalls::Call made{start_ns, start_ns + 1, name, {}};
  made.payload.communicator = communicator;
  made.payload.bytes = bytes;
  return made;
}

/// Bytes of what is handed over, in order; -1: a kernel that names none.
Bytes64 handed_over(NcclCalls& calls, std::vector<std::string>* notes = nullptr) {
  Bytes64 bytes;
  std::vector<std::string> told;
  calls.hand_over(
      "x.sqlite", [&](const KinetoEvent& e) { bytes.push_back(e.nccl_bytes.value_or(-1)); }, told);
  if (notes) *notes = told;
  return bytes;
}

}  // namespace

TEST_CASE("a call that launches its kernel is that kernel's") {
  NcclCalls calls;
  calls.add("t", {10, 20, "ncclAllReduce", call("", 0, 1, 64).payload});
  calls.add(kernel("ncclDevKernel_AllReduce_Sum_f16_RING_LL", 15));
  calls.add("u", {10, 20, "ncclAllReduce", call("", 0, 1, 128).payload});  // on another thread
  CHECK(handed_over(calls) == Bytes64{64});
}

TEST_CASE("messages of a group are executed by its kernel, one a communicator") {
  NcclCalls calls;
  calls.add("t", call("ncclSend", 10, 1, 64));
  calls.add("t", call("ncclRecv", 12, 1, 65));
  calls.add("t", call("ncclSend", 14, 2, 66));
  calls.add("t", {20, 40, "ncclGroupEnd", {}});
  calls.add(kernel("ncclDevKernel_SendRecv", 25));
  calls.add(kernel("ncclDevKernel_SendRecv", 30));
  // The first kernel's two messages before it, then it; the second kernel has its own one.
  CHECK(handed_over(calls) == Bytes64{64, 65, -1, 66});
}

TEST_CASE("collectives of a group have a kernel each, or one kernel that executes their sum, with a note") {
  for (const bool is_each : {true, false}) {
    NcclCalls calls;
    calls.add("t", call("ncclAllGather", 10, 1, 64));
    calls.add("t", call("ncclAllGather", 12, 1, 100));
    calls.add("t", {20, 40, "ncclGroupEnd", {}});
    calls.add(kernel("ncclDevKernel_AllGather_RING_LL", 25));
    if (is_each) calls.add(kernel("ncclDevKernel_AllGather_RING_LL", 30));
    std::vector<std::string> notes;
    CHECK(handed_over(calls, &notes) == (is_each ? Bytes64{64, 100} : Bytes64{164}));
    CHECK(notes.size() == (is_each ? 0 : 1));
  }
}

TEST_CASE("calls of an earlier group are not those of a later one") {
  NcclCalls calls;
  calls.add("t", call("ncclSend", 10, 1, 64));
  calls.add("t", {20, 30, "ncclGroupEnd", {}});
  calls.add("t", call("ncclSend", 40, 1, 65));
  calls.add("t", {50, 60, "ncclGroupEnd", {}});
  calls.add(kernel("ncclDevKernel_SendRecv", 25));
  calls.add(kernel("ncclDevKernel_SendRecv", 55));
  CHECK(handed_over(calls) == Bytes64{64, 65});
}

TEST_CASE("a message of a rank to itself goes, and a note says so") {
  NcclCalls calls;
  NcclCalls::Call init{1, 2, "ncclCommInitRank", {}};
  init.payload.communicator = 1, init.payload.size = 4, init.payload.rank = 2;
  calls.add("t", init);
  for (int peer : {2, 3}) {
    NcclCalls::Call send = call("ncclSend", 10 + peer, 1, 64 + peer);
    send.payload.peer = peer;
    calls.add("t", send);
  }
  calls.add("t", {20, 30, "ncclGroupEnd", {}});
  calls.add(kernel("ncclDevKernel_SendRecv", 25));
  std::vector<std::string> notes;
  CHECK(handed_over(calls, &notes) == Bytes64{67});
  CHECK(notes == std::vector<std::string>{"x.sqlite: 1 messages of ranks to themselves are left out"});
  REQUIRE(calls.memberships().size() == 1);
  CHECK(calls.memberships()[0].place == 2);
  CHECK(calls.memberships()[0].size == 4);
}

TEST_CASE("kernels of a group that fit neither its calls nor its communicators are refused") {
  NcclCalls calls;
  calls.add("t", call("ncclSend", 10, 1, 64));
  calls.add("t", {20, 40, "ncclGroupEnd", {}});
  calls.add(kernel("ncclDevKernel_SendRecv", 25));
  calls.add(kernel("ncclDevKernel_SendRecv", 30));
  std::vector<std::string> notes;
  CHECK_THROWS_WITH(
      calls.hand_over(
          "x.sqlite", [](const KinetoEvent&) {}, notes),
      Catch::Contains("x.sqlite: event 25: 1 calls of NCCL on 1 communicators between ncclGroupStart and "
                      "ncclGroupEnd, executed by 2 kernels"));
}
