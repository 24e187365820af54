#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <utility>

#include "network/transport/tables.hpp"
#include "tests/model/collective/gpu_bed.hpp"

namespace lightrail::test {
namespace {

struct Pair {
  Program sender, receiver;
};

Pair make_pair(GroupKindId group, std::int64_t bytes, SimTime receiver_delay = SimTime{0}) {
  Pair pair;
  pair.sender.role = "sender", pair.receiver.role = "receiver";
  pair.sender.streams = {"p2p"}, pair.receiver.streams = {"p2p"};
  pair.sender.ops = {point(OpKind::send, group, 1, bytes)};
  if (receiver_delay > SimTime{0}) {
    Op compute;
    compute.kind = OpKind::compute;
    compute.duration = receiver_delay;
    pair.receiver.ops.push_back(compute);
  }
  pair.receiver.ops.push_back(point(OpKind::recv, group, -1, bytes));
  return pair;
}

}  // namespace

TEST_CASE("a small message arrives after base, line, path and software") {
  GpuBed bed({.gpus = 2});
  Pair pair = make_pair(bed.group("pp", 2), 10'000);
  bed.run_on({0}, pair.sender);
  bed.run_on({1}, pair.receiver);
  bed.run();
  // LL: 20,000 B on the wire.
  CHECK(bed.end_of(0, 0) == bed.nccl.base_ll + line(20'000, nvlink_ps));
  CHECK(bed.end_of(1, 0) == bed.nccl.base_ll + line(20'000, nvlink_ps) + nvlink_path +
                                bed.nccl.software(Protocol::ll, Medium::nvlink));
}

TEST_CASE("a message over the eager limit waits for the receiver's clear-to-send") {
  const std::int64_t bytes = 32 << 20;
  const SimTime late = milliseconds(3);
  GpuBed bed({.gpus = 2});
  CHECK(bed.nccl.eager_limit(Medium::nvlink) == 4 << 20);
  Pair pair = make_pair(bed.group("pp", 2), bytes, late);
  bed.run_on({0}, pair.sender);
  bed.run_on({1}, pair.receiver);
  bed.run();
  const SimTime clear = late + bed.nccl.base_simple + line(64, nvlink_ps) + nvlink_path;
  CHECK(bed.end_of(0, 0) == clear + line(bytes, nvlink_ps));
  CHECK(bed.end_of(1, 1) ==
        clear + line(bytes, nvlink_ps) + nvlink_path + bed.nccl.software(Protocol::simple, Medium::nvlink));
}

TEST_CASE("a message up to the eager limit leaves before the receiver asks for it") {
  const std::int64_t bytes = 4 << 20;
  GpuBed bed({.gpus = 2});
  Pair pair = make_pair(bed.group("pp", 2), bytes, milliseconds(3));
  bed.run_on({0}, pair.sender);
  bed.run_on({1}, pair.receiver);
  bed.run();
  CHECK(bed.end_of(0, 0) == bed.nccl.base_simple + line(bytes, nvlink_ps));
  CHECK(bed.end_of(1, 1) ==
        milliseconds(3) + bed.nccl.base_simple + bed.nccl.software(Protocol::simple, Medium::nvlink));
}

TEST_CASE("a send over the network ends when its last byte is on the wire") {
  GpuBed bed({.servers = 2, .gpus = 1, .nics = 1});
  Pair pair = make_pair(bed.group("pp", 2), 1 << 20);
  bed.run_on({0}, pair.sender);
  bed.run_on({1}, pair.receiver);
  bed.run();
  // To the NIC, its latency, the line, and the notice back over PCIe.
  const SimTime posted = bed.nccl.base_simple + bed.nccl.net_overhead + pcie_latency + nic_latency;
  CHECK(bed.end_of(0, 0) == posted + line(1 << 20, net_ps) + pcie_latency);
  CHECK(bed.end_of(1, 0) == bed.nccl.base_simple + bed.nccl.net_overhead + net_path + line(1 << 20, net_ps) +
                                bed.nccl.software(Protocol::simple, Medium::net));
}

TEST_CASE("several messages of one pair keep their order and sizes") {
  GpuBed bed({.gpus = 2});
  GroupKindId pp = bed.group("pp", 2);
  Program sender, receiver;
  sender.role = "sender", receiver.role = "receiver";
  sender.streams = {"a"}, receiver.streams = {"a", "b"};
  for (std::int64_t bytes : {1'000, 3'000'000, 10'000, 50'000'000}) {
    sender.ops.push_back(point(OpKind::send, pp, 1, bytes));
    receiver.ops.push_back(point(OpKind::recv, pp, 1, bytes));
  }
  bed.run_on({0}, sender);
  bed.run_on({1}, receiver);
  bed.run();
  CHECK(bed.bed.waits().empty());
  CHECK(bed.received_bytes(1) == 53'011'000);
  for (std::uint32_t op = 1; op < 4; ++op) CHECK(bed.end_of(1, op) > bed.end_of(1, op - 1));
}

TEST_CASE("messages on two lanes overtake each other and each receive gets its own") {
  // 10 kB is sent first, 3 MB after it; the receiver asks for the 3 MB first. On one lane it would be
  // refused.
  GpuBed bed({.gpus = 2});
  GroupKindId pp = bed.group("pp", 2);
  Program sender, receiver;
  sender.role = "sender", receiver.role = "receiver";
  sender.streams = receiver.streams = {"a"};
  sender.ops = {point(OpKind::send, pp, 1, 10'000), point(OpKind::send, pp, 1, 3'000'000)};
  receiver.ops = {point(OpKind::recv, pp, 1, 3'000'000), point(OpKind::recv, pp, 1, 10'000)};
  sender.ops[1].root = receiver.ops[0].root = 9;
  bed.run_on({0}, sender);
  bed.run_on({1}, receiver);
  bed.run();
  CHECK(bed.bed.waits().empty());
  const SimTime sent = bed.end_of(0, 1);
  CHECK(bed.end_of(1, 0) == sent + nvlink_path + bed.nccl.software(Protocol::simple, Medium::nvlink));
  // The small one was there long before: only its own base latency and software time follow.
  CHECK(bed.end_of(1, 1) ==
        bed.end_of(1, 0) + bed.nccl.base_ll + bed.nccl.software(Protocol::ll, Medium::nvlink));
}

TEST_CASE("a lane that does not exist is refused") {
  GpuBed bed({.gpus = 2});
  Pair pair = make_pair(bed.group("pp", 2), 10'000);
  pair.sender.ops[0].root = 256;
  bed.run_on({0}, pair.sender);
  bed.run_on({1}, pair.receiver);
  CHECK_THAT(bed.mistakes().at(0), Catch::EndsWith("lane 256 does not exist (there are 256)"));
}

TEST_CASE("an offset wraps around a group whose size is no power of two") {
  GpuBed bed({.gpus = 3});
  GroupKindId ring = bed.group("ring", 3);
  Program program;
  program.role = "ring";
  program.streams = {"send", "recv"};
  program.ops = {point(OpKind::send, ring, -1, 10'000), point(OpKind::recv, ring, 1, 10'000)};
  program.ops[1].stream = 1;
  for (Op& op : program.ops) op.peer_mode = PeerMode::offset;
  bed.run_on({0, 1, 2}, program);
  bed.run();
  CHECK(bed.bed.waits().empty());
  for (std::uint32_t gpu = 0; gpu < 3; ++gpu) CHECK(bed.received_bytes(gpu) == 10'000);
}

TEST_CASE("a GPU sends to itself at half its memory's bandwidth") {
  GpuBed bed({.gpus = 1});
  GroupKindId alone = bed.group("alone", 1);
  Program program;
  program.role = "self";
  program.streams = {"send", "recv"};
  const std::int64_t bytes = std::int64_t{3} << 30;
  program.ops = {point(OpKind::send, alone, 0, bytes), point(OpKind::recv, alone, 0, bytes)};
  program.ops[1].stream = 1;
  bed.run_on({0}, program);
  bed.run();
  // Read and written once each at 2 TB/s: 1 ps a byte; nothing more is software.
  CHECK(bed.end_of(0, 0) == bed.nccl.base_simple + picoseconds(bytes));
  CHECK(bed.end_of(0, 1) == bed.nccl.base_simple + picoseconds(bytes));
  CHECK(bed.received_bytes(0) == bytes);
  CHECK(bed.sent_bytes(0) == 0);  // a copy within its memory is no traffic
}

TEST_CASE("an all-to-all of n takes base and n - 1 shares on the NVLink") {
  for (std::uint32_t n = 2; n <= 8; ++n) {
    GpuBed bed({.gpus = n, .grain = 1});
    // One packet a peer: GPU r sends to r + 1, r + 2, ...; in the k-th turn every receiver gets one packet.
    const std::int64_t share = 4096;
    bed.run_all({collective(CollectiveType::all_to_all, bed.group("ep", n), n * share, Protocol::simple)});
    bed.run();
    for (std::uint32_t gpu = 0; gpu < n; ++gpu) {
      CHECK(bed.end_of(gpu, 0) == bed.nccl.base_simple + (n - 1) * line(share, nvlink_ps) + nvlink_path +
                                      bed.nccl.software(Protocol::simple, Medium::nvlink));
      CHECK(bed.sent_bytes(gpu) == (n - 1) * share);
    }
  }
}

TEST_CASE("shares of an all-to-all-v add up to the buffer and reach who they are for") {
  GpuBed bed({.gpus = 4});
  SplitMatrix split;
  split.size = 4;
  split.share = {0.7, 0.1, 0.1, 0.1, 0, 1, 0, 0, 0.25, 0.25, 0.25, 0.25, 0.333, 0.333, 0.334, 0};
  bed.set.splits = {SplitMatrix{}, split};
  Op op = collective(CollectiveType::all_to_all, bed.group("ep", 4), 1'000'002);
  op.split = 1;
  bed.run_all({op});
  bed.run();
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> matrix;
  for (const Row& row : bed.bed.rows(tables::traffic_matrix))
    matrix[{row.values[0], row.values[1]}] += row.values[2];
  CHECK(bed.sent_bytes(0) == 1'000'002 - 700'002);  // keeps 350,001 elements: 0.7 * 500,001 = 350,000.7
  CHECK(bed.sent_bytes(1) == 0);
  CHECK(matrix.count({1, 0}) == 0);
  CHECK(matrix.count({0, 0}) == 0);
  CHECK(bed.received_bytes(1) == 1'000'002 + matrix[{0, 1}] + matrix[{2, 1}] + matrix[{3, 1}]);
}

TEST_CASE("large shares of an all-to-all wait until their receiver is ready") {
  const std::int64_t share = 8 << 20;
  GpuBed bed({.gpus = 2});
  GroupKindId ep = bed.group("ep", 2);
  Program early, late;
  early.role = "early", late.role = "late";
  early.streams = late.streams = {"s"};
  Op wait;
  wait.kind = OpKind::compute;
  wait.duration = milliseconds(2);
  early.ops = {collective(CollectiveType::all_to_all, ep, 2 * share)};
  late.ops = {wait, early.ops[0]};
  bed.run_on({0}, early);
  bed.run_on({1}, late);
  bed.run();
  const SimTime clear = milliseconds(2) + bed.nccl.base_simple + line(64, nvlink_ps) + nvlink_path;
  CHECK(bed.end_of(1, 1) ==
        clear + line(share, nvlink_ps) + nvlink_path + bed.nccl.software(Protocol::simple, Medium::nvlink));
}

TEST_CASE("GPUs without an NVSwitch reach each other over PCIe through their host") {
  GpuBed bed({.gpus = 2, .has_nvswitch = false, .has_host = true});
  Pair pair = make_pair(bed.group("pp", 2), 10'000);
  bed.run_on({0}, pair.sender);
  bed.run_on({1}, pair.receiver);
  bed.run();
  CHECK(bed.end_of(1, 0) == bed.nccl.base_ll + line(20'000, net_ps) + 2 * pcie_latency + host_latency +
                                bed.nccl.software(Protocol::ll, Medium::pci));
}

}  // namespace lightrail::test
