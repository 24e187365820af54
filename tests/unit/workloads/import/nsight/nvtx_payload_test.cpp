#include "workloads/import/nsight/nvtx_payload.hpp"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/workloads/import/kineto_text.hpp"
#include "tests/unit/workloads/import/nsight_database.hpp"

using namespace lightrail;

namespace {

std::vector<unsigned char> bytes_of(const std::string& hex) {
  std::vector<unsigned char> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<unsigned char>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

}  // namespace

TEST_CASE("a payload has what its schema names, and what is too short for it says nothing") {
  TraceFolder folder;
  const std::string path = folder.path("x.sqlite");
  { NsightDatabase made(path); }
  const NvtxPayloads payloads{SqliteFile(path)};
  std::vector<unsigned char> send = bytes_of(nvtx_payload_hex(101, 0xfedcba9876543210, 4096, 3));
  NcclPayload payload = payloads.decode(send);
  CHECK(payload.communicator == 0xfedcba9876543210);
  CHECK(payload.bytes == 4096);
  CHECK(payload.peer == 3);
  CHECK(!payload.size);
  send.resize(send.size() - 1);
  CHECK(!payloads.decode(send).peer);
  CHECK(payloads.decode(send).bytes == 4096);
  CHECK(!payloads.decode(bytes_of(nvtx_payload_hex(99, 1, 2))).communicator);
  CHECK(!payloads.decode({}).communicator);
}

TEST_CASE("a payload as JSON is the same") {
  const NcclPayload payload =
      nccl_payload_of_json(R"({"NCCL communicator ID": 77, "Rank": 1, "No. of ranks": 4, "CUDA device": 0})");
  CHECK(payload.communicator == 77);
  CHECK(payload.rank == 1);
  CHECK(payload.size == 4);
  CHECK(!payload.bytes);
  CHECK(!nccl_payload_of_json("{").communicator);
}
