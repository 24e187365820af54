#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

#include "components/gpu/tables.hpp"
#include "network/port/tables.hpp"
#include "network/transport/tables.hpp"
#include "tests/model/collective/gpu_bed.hpp"

namespace lightrail::test {
namespace {

/// One hop over the network on one rail: the proxy posts, the NIC reads over PCIe and sends, 20 ps a byte.
/// NCCL's constant counts `plateau` times.
SimTime net_hop(const NcclSettings& nccl, Protocol protocol, std::int64_t payload, double plateau = 1) {
  return nccl.net_overhead + net_path + line(nccl.wire_bytes(protocol, payload), net_ps) +
         nccl.software(protocol, Medium::net, plateau);
}

}  // namespace

TEST_CASE("an all-reduce of one GPU a server takes base + 2(n-1) network hops on each rail") {
  for (std::uint32_t servers : {2u, 3u, 5u}) {
    GpuBed bed({.servers = servers, .gpus = 4, .nics = 4});
    const std::int64_t block = 192 * 1024;
    bed.run_all({collective(CollectiveType::all_reduce, bed.group("dp", servers, 4), servers * block)});
    bed.run();
    const double plateau = bed.nccl.ring_plateau;
    const SimTime end = scaled(bed.nccl.base_simple, plateau) +
                        2 * (servers - 1) * net_hop(bed.nccl, Protocol::simple, block, plateau);
    for (std::uint32_t gpu = 0; gpu < bed.gpus(); ++gpu) {
      CHECK(bed.end_of(gpu, 0) == end);
      CHECK(bed.sent_bytes(gpu) == 2 * (servers - 1) * block);
      CHECK(bed.received_bytes(gpu) == bed.sent_bytes(gpu));
    }
  }
}

TEST_CASE("a ring over whole servers uses every rail and never crosses rails") {
  // The rails have no switch in common: a message for another rail would be unroutable.
  for (std::uint32_t nics : {1u, 2u, 4u}) {
    GpuBed bed({.servers = 3, .gpus = 4, .nics = nics});
    const std::int64_t bytes = 12 << 20;
    bed.run_all({collective(CollectiveType::all_reduce, bed.group("world", 12), bytes)});
    bed.run();
    CHECK(bed.bed.waits().empty());
    for (std::uint32_t gpu = 0; gpu < 12; ++gpu) CHECK(bed.sent_bytes(gpu) == 2 * 11 * bytes / 12);
    // Every rail carries what leaves a server once a channel: all the bytes of 22 steps over 12 blocks and
    // the rails.
    std::int64_t on_rail = 0;
    for (const Row& row : bed.bed.rows(tables::link_use)) {
      const Model& model = bed.bed.finish_model();
      const ComponentId from = model.links[static_cast<std::size_t>(row.values[0])].from;
      if (from == bed.switches[0]) on_rail += row.values[2];
    }
    CHECK(on_rail == 3 * 22 * bytes / 12 / nics);
  }
}

TEST_CASE("a send to another rail goes over NVLink to the GPU of that rail and from there over its NIC") {
  // One train of 4,000 B in LL (8,000 B on the wire): NVLink whole, then the proxy of the forwarding GPU.
  GpuBed bed({.servers = 2, .gpus = 2, .nics = 2});
  GroupKindId pair = bed.listed_group("pair", {{0, 3}});
  const std::int64_t payload = 4'000;
  Program sender, receiver;
  sender.role = "sender", receiver.role = "receiver";
  sender.streams = receiver.streams = {"p2p"};
  sender.ops = {point(OpKind::send, pair, 1, payload)};
  receiver.ops = {point(OpKind::recv, pair, 1, payload)};
  bed.run_on({0}, sender);
  bed.run_on({3}, receiver);
  bed.run();
  const std::int64_t wire = 2 * payload;
  CHECK(bed.end_of(0, 0) == bed.nccl.base_ll + line(wire, nvlink_ps));
  CHECK(bed.end_of(3, 0) == bed.nccl.base_ll + line(wire, nvlink_ps) + nvlink_path + bed.nccl.net_overhead +
                                net_path + line(wire, net_ps) + bed.nccl.software(Protocol::ll, Medium::net));
}

TEST_CASE("without PXN a send to another rail goes through the fabric") {
  GpuBed bed({.servers = 2, .gpus = 2, .nics = 2, .joins_rails = true});
  bed.nccl.pxn = false;
  GroupKindId pair = bed.listed_group("pair", {{0, 3}});
  Program sender, receiver;
  sender.role = "sender", receiver.role = "receiver";
  sender.streams = receiver.streams = {"p2p"};
  sender.ops = {point(OpKind::send, pair, 1, 4'000)};
  receiver.ops = {point(OpKind::recv, pair, 1, 4'000)};
  bed.run_on({0}, sender);
  bed.run_on({3}, receiver);
  bed.run();
  CHECK(bed.end_of(3, 0) == bed.nccl.base_ll + net_hop(bed.nccl, Protocol::ll, 4'000));
}

TEST_CASE("PXN shortens an all-to-all of small messages on rails") {
  auto time = [](bool pxn) {
    GpuBed bed({.servers = 4, .gpus = 8, .nics = 8, .joins_rails = true});
    bed.nccl.pxn = pxn;
    bed.run_all({collective(CollectiveType::all_to_all, bed.group("world", 32), 32 * 256)});
    bed.run();
    CHECK(bed.sent_bytes() == 32 * 31 * 256);
    return bed.end_of(0, 0);
  };
  CHECK(time(true) < time(false));
}

TEST_CASE("bytes sent, received and in the traffic matrix are the same") {
  GpuBed bed({.servers = 2, .gpus = 4, .nics = 4});
  GroupKindId world = bed.group("world", 8), tp = bed.group("tp", 4);
  bed.run_all({collective(CollectiveType::all_reduce, world, 1'000'003),
               collective(CollectiveType::all_to_all, world, 1'000'000),
               collective(CollectiveType::broadcast, world, 5'000'000),
               collective(CollectiveType::reduce_scatter, tp, 77'777)});
  bed.run();
  std::int64_t received = 0, matrix = 0;
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu) received += bed.received_bytes(gpu);
  for (const Row& row : bed.bed.rows(tables::traffic_matrix)) matrix += row.values[2];
  // 2 * 7 * all-reduce, 7 * all-to-all, 7 * broadcast, 2 groups of 3 * reduce-scatter.
  CHECK(bed.sent_bytes() == 14 * 1'000'003 + 7 * 1'000'000 + 7 * 5'000'000 + 2 * 3 * 77'777);
  CHECK(received == bed.sent_bytes() + 1'000'000);  // an own share is a message too, but no traffic
  CHECK(matrix == bed.sent_bytes());
}

TEST_CASE("saving and loading in the middle changes nothing") {
  auto ends = [](SimTime save_at) {
    GpuBed bed({.servers = 2, .gpus = 4, .nics = 4});
    GroupKindId world = bed.group("world", 8);
    bed.run_all({collective(CollectiveType::all_reduce, world, 3 << 20),
                 collective(CollectiveType::all_to_all, world, 80 << 20),
                 collective(CollectiveType::barrier, world, 0)});
    bed.set.iterations = 2;
    bed.run(save_at);
    std::vector<std::int64_t> all{bed.bed.end().count(), bed.bed.events()};
    for (const Row& row : bed.bed.rows(tables::steps))
      all.insert(all.end(), row.values.begin(), row.values.end());
    return all;
  };
  const auto straight = ends(time_never);
  for (std::int64_t at : {1, 20, 100, 400, 900}) CHECK(ends(microseconds(at)) == straight);
}

}  // namespace lightrail::test
