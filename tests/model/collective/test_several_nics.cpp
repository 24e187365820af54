#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "components/gpu/tables.hpp"
#include "network/port/tables.hpp"
#include "network/transport/tables.hpp"
#include "tests/model/collective/gpu_bed.hpp"

namespace lightrail::test {
namespace {

/// One message over the network whose longest stripe has `wire` bytes: the proxy posts all stripes at once,
/// each NIC reads its own over PCIe and sends it, 20 ps a byte.
SimTime net_hop(const NcclSettings& nccl, Protocol protocol, std::int64_t wire, double plateau = 1) {
  return nccl.net_overhead + net_path + line(wire, net_ps) + nccl.software(protocol, Medium::net, plateau);
}

/// GPU 0 sends `payload` bytes to GPU `to`.
void send(GpuBed& bed, std::uint32_t to, std::int64_t payload, std::uint32_t messages = 1) {
  GroupKindId pair = bed.listed_group("pair", {{0, to}});
  Program sender, receiver;
  sender.role = "sender", receiver.role = "receiver";
  sender.streams = receiver.streams = {"p2p"};
  for (std::uint32_t i = 0; i < messages; ++i) {
    sender.ops.push_back(point(OpKind::send, pair, 1, payload));
    receiver.ops.push_back(point(OpKind::recv, pair, 1, payload));
  }
  bed.run_on({0}, sender);
  bed.run_on({to}, receiver);
}

/// Payload that the switches have sent to NICs, by lid.
std::vector<std::int64_t> received_by_nic(GpuBed& bed) {
  std::map<std::uint32_t, std::int64_t> by_nic;
  const Model& model = bed.bed.finish_model();
  for (const Row& row : bed.bed.rows(tables::link_use)) {
    const LinkRecord& link = model.links[static_cast<std::size_t>(row.values[0])];
    const bool is_from_switch =
        std::find(bed.switches.begin(), bed.switches.end(), link.from) != bed.switches.end();
    if (is_from_switch) by_nic[link.to.value] += row.values[2];
  }
  std::vector<std::int64_t> all;
  for (const auto& [nic, bytes] : by_nic) all.push_back(bytes);
  return all;
}

}  // namespace

TEST_CASE("over k NICs a GPU a send takes the line for a k-th of its bytes") {
  // LL: 8 bytes on the wire for 4; 12 KiB divides into k stripes of whole 128 B.
  const std::int64_t payload = 6 * 1024;
  for (std::uint32_t nics : {1u, 2u, 3u, 4u}) {
    GpuBed bed({.servers = 2, .gpus = 1, .nics = nics});
    send(bed, 1, payload);
    bed.run();
    CHECK(bed.end_of(1, 0) == bed.nccl.base_ll + net_hop(bed.nccl, Protocol::ll, 2 * payload / nics));
    for (const std::int64_t bytes : received_by_nic(bed)) CHECK(bytes == 2 * payload / nics);
    CHECK(bed.bed.waits().empty());
  }
}

TEST_CASE("an all-reduce of one GPU a server takes 2(n-1) hops of half the bytes with two NICs") {
  const std::int64_t block = 192 * 1024;
  const std::uint32_t servers = 3;
  for (std::uint32_t nics : {4u, 8u}) {
    GpuBed bed({.servers = servers, .gpus = 4, .nics = nics});
    bed.run_all({collective(CollectiveType::all_reduce, bed.group("dp", servers, 4), servers * block)});
    bed.run();
    const double plateau = bed.nccl.ring_plateau;
    const std::int64_t stripe = bed.nccl.wire_bytes(Protocol::simple, block) / (nics / 4);
    const SimTime end = scaled(bed.nccl.base_simple, plateau) +
                        2 * (servers - 1) * net_hop(bed.nccl, Protocol::simple, stripe, plateau);
    for (std::uint32_t gpu = 0; gpu < bed.gpus(); ++gpu) {
      CHECK(bed.end_of(gpu, 0) == end);
      CHECK(bed.received_bytes(gpu) == 2 * (servers - 1) * block);
    }
  }
}

TEST_CASE("a send to another rail goes over NVLink to the GPU of that rail, which has as many NICs") {
  // NVLink whole, then the proxy of the forwarding GPU posts both stripes at once.
  GpuBed bed({.servers = 2, .gpus = 2, .nics = 4});
  const std::int64_t payload = 4'096;
  send(bed, 3, payload);
  bed.run();
  const std::int64_t wire = 2 * payload;
  CHECK(bed.end_of(0, 0) == bed.nccl.base_ll + line(wire, nvlink_ps));
  // The first stripe leaves NVLink after half of the line's time; the second one comes while the proxy is at
  // work on it and is posted with it.
  const SimTime first = bed.nccl.base_ll + line(wire / 2, nvlink_ps) + nvlink_path;
  const SimTime posted = first + bed.nccl.net_overhead;
  CHECK(bed.end_of(3, 0) ==
        posted + net_path + line(wire / 2, net_ps) + bed.nccl.software(Protocol::ll, Medium::net));
}

TEST_CASE("messages of a connection are received in their order, small ones behind large ones") {
  // What is smaller than a stripe takes one NIC: it overtakes no stripe of the message before it.
  GpuBed bed({.servers = 2, .gpus = 1, .nics = 2});
  GroupKindId pair = bed.listed_group("pair", {{0, 1}});
  Program sender, receiver;
  sender.role = "sender", receiver.role = "receiver";
  sender.streams = receiver.streams = {"p2p"};
  for (const std::int64_t bytes : {1 << 20, 16, 1 << 18, 100}) {
    sender.ops.push_back(point(OpKind::send, pair, 1, bytes));
    receiver.ops.push_back(point(OpKind::recv, pair, 1, bytes));
  }
  bed.run_on({0}, sender);
  bed.run_on({1}, receiver);
  bed.run();
  std::vector<std::int64_t> received;
  for (const Row& row : bed.bed.rows(tables::messages)) received.push_back(row.values[3]);
  CHECK(received == std::vector<std::int64_t>{1 << 20, 16, 1 << 18, 100});
  for (std::uint32_t op = 1; op < 4; ++op) CHECK(bed.end_of(1, op) >= bed.end_of(1, op - 1));
}

TEST_CASE("by flow every message is whole on one NIC, and peers take different ones") {
  GpuBed bed({.servers = 4, .gpus = 1, .nics = 2, .striping = NicStriping::flow});
  bed.run_all({collective(CollectiveType::all_to_all, bed.group("world", 4), 4 << 20)});
  bed.run();
  // Server t gets from t - 1 and t + 1 on one NIC, from t + 2 on the other.
  const std::vector<std::int64_t> received = received_by_nic(bed);
  REQUIRE(received.size() == 8);
  const std::int64_t share = std::accumulate(received.begin(), received.end(), std::int64_t{0}) / 12;
  CHECK(share >= 1 << 20);
  for (std::uint32_t t = 0; t < 4; ++t) {
    CHECK(received[2 * t] == share);
    CHECK(received[2 * t + 1] == 2 * share);
  }
  for (const Row& row : bed.bed.rows(tables::messages)) CHECK(row.values[0] < 4);
  CHECK(12 * share >= 4 * 3 * (1 << 20));
  CHECK(bed.bed.waits().empty());
}

TEST_CASE("saving and loading while stripes are under way changes nothing") {
  auto ends = [](NicStriping striping, bool pxn, SimTime save_at) {
    GpuBed bed({.servers = 2, .gpus = 4, .nics = 8, .joins_rails = true, .striping = striping});
    bed.nccl.pxn = pxn;
    GroupKindId world = bed.group("world", 8);
    bed.run_all({collective(CollectiveType::all_reduce, world, 3 << 20),
                 collective(CollectiveType::all_to_all, world, 8 << 20),
                 collective(CollectiveType::barrier, world, 0)});
    bed.run(save_at);
    CHECK(bed.bed.waits().empty());
    std::vector<std::int64_t> all{bed.bed.end().count(), bed.bed.events()};
    for (const Row& row : bed.bed.rows(tables::steps))
      all.insert(all.end(), row.values.begin(), row.values.end());
    return all;
  };
  for (const NicStriping striping : {NicStriping::split, NicStriping::flow})
    for (const bool pxn : {false, true}) {
      const auto whole = ends(striping, pxn, time_never);
      for (std::int64_t part : {1, 3, 5, 8})
        CHECK(ends(striping, pxn, SimTime{whole[0] * part / 10}) == whole);
    }
}

}  // namespace lightrail::test
