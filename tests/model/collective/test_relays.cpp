#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "tests/model/collective/gpu_bed.hpp"
#include "tests/support/algorithm_named.hpp"

namespace lightrail::test {
namespace {

Op all_reduce(GroupKindId group, std::int64_t bytes, Algorithm algorithm,
              Protocol protocol = Protocol::simple) {
  Op op = collective(CollectiveType::all_reduce, group, bytes, protocol);
  op.algorithm = algorithm;
  return op;
}

/// One level of a tree: the line, the path and NCCL's time for it less what the path takes.
SimTime near_hop(const NcclSettings& nccl, Protocol protocol, std::int64_t payload) {
  return line(nccl.wire_bytes(protocol, payload), nvlink_ps) + nvlink_path +
         nccl.tree_software(protocol, Medium::nvlink);
}

SimTime far_hop(const NcclSettings& nccl, std::int64_t payload) {
  return nccl.net_overhead + net_path + line(payload, net_ps) +
         nccl.tree_software(Protocol::simple, Medium::net);
}

}  // namespace

TEST_CASE("a tree in one server is a chain: base, n - 1 hops up, as many as its place down") {
  for (std::uint32_t n = 2; n <= 8; ++n)
    for (Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
      GpuBed bed({.gpus = n});
      const std::int64_t bytes = 60'000;  // one slice
      bed.run_all({all_reduce(bed.group("tp", n), bytes, algorithm_named("tree"), protocol)});
      bed.run();
      for (std::uint32_t gpu = 1; gpu < n; ++gpu)
        CHECK(bed.end_of(gpu, 0) ==
              bed.nccl.tree_base(protocol) + (n - 1 + gpu) * near_hop(bed.nccl, protocol, bytes));
      CHECK(bed.sent_bytes() == 2 * (n - 1) * bytes);
    }
}

TEST_CASE("slices of a tree follow one another at the rate of the line") {
  GpuBed bed({.gpus = 2});
  const std::int64_t slice = bed.nccl.nvlink_channels * bed.nccl.chunk_bytes(Protocol::simple), slices = 10;
  bed.run_all({all_reduce(bed.group("tp", 2), slices * slice, algorithm_named("tree"))});
  bed.run();
  CHECK(bed.end_of(1, 0) == bed.nccl.tree_base(Protocol::simple) +
                                2 * near_hop(bed.nccl, Protocol::simple, slice) +
                                (slices - 1) * line(slice, nvlink_ps));
}

TEST_CASE("over a network a tree's sender is a buffer of slices ahead of what its receiver has handed on") {
  auto end = [](std::uint32_t steps, SimTime latency) {
    GpuBed bed({.servers = 2, .gpus = 1, .nics = 1});
    // As many bytes a step, whatever the steps.
    bed.nccl.steps = steps;
    bed.nccl.buffer_simple = Bytes{std::int64_t{steps} << 19};
    bed.nic_spec->receive_latency = latency;
    bed.nic_spec->buffer = Bytes{64 << 20};  // what is on a long way is not what limits it
    bed.run_all({all_reduce(bed.group("dp", 2), 32 << 20, algorithm_named("tree"))});
    bed.run();
    CHECK(bed.bed.waits().empty());
    CHECK(bed.sent_bytes() == 2 * (32 << 20));
    return bed.end_of(0, 0);
  };
  const SimTime near = nanoseconds(100), far = milliseconds(1);
  // 32 slices a tree. A short way: the buffer is never empty. A long one: 31 more round trips of a slice's
  // buffer, or 3 of the buffer of 8.
  CHECK(end(8, near) - end(32, near) < microseconds(1));
  CHECK(end(8, far) - end(32, far) > 3 * far);
  CHECK(end(1, far) - end(32, far) > 31 * far);
}

TEST_CASE("a channel's threads take their time for the first slice of a tree over servers") {
  auto end = [](std::int64_t rate, Protocol protocol) {
    GpuBed bed({.servers = 2, .gpus = 4, .nics = 4});
    bed.gpu_spec->nccl = NcclDevice{};
    bed.gpu_spec->nccl->ll_max_rate = bed.gpu_spec->nccl->ll_max_rate_2 = BitRate{1'000'000'000'000};
    bed.gpu_spec->nccl->channel_rate = BitRate{rate};
    bed.run_all({all_reduce(bed.group("world", 8), 8 * 60'000, algorithm_named("tree"), protocol)});
    bed.run();
    return bed.end_of(0, 0);
  };
  // 60,000 B on each of 8 lanes, one channel each, at 8 bits a nanosecond: 3 hops in a server and one over
  // the rail, up and down.
  CHECK(end(8'000'000'000, Protocol::simple) - end(0, Protocol::simple) >= 4 * microseconds(60));
  CHECK(end(8'000'000'000, Protocol::simple) - end(0, Protocol::simple) <= 8 * microseconds(60));
}

TEST_CASE("two servers exchange halves on two trees: one hop up and one down") {
  GpuBed bed({.servers = 2, .gpus = 2, .nics = 2});
  const std::int64_t bytes = 2 * 64 * 1024;
  bed.run_all({all_reduce(bed.group("dp", 2, 2), bytes, algorithm_named("tree"))});
  bed.run();
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    CHECK(bed.end_of(gpu, 0) == bed.nccl.tree_base(Protocol::simple) + 2 * far_hop(bed.nccl, bytes / 2));
    CHECK(bed.sent_bytes(gpu) == bytes);
  }
}

TEST_CASE("an NVLS-tree moves what its heads do, and a level takes what the GPU kind has measured") {
  auto end = [](std::int64_t head_gbps, SimTime level, std::int64_t bytes) {
    GpuBed bed({.servers = 2, .gpus = 4, .nics = 4, .nvls_efficiency = 0.8});
    bed.gpu_spec->nccl = NcclDevice{};
    bed.gpu_spec->nccl->nvls_tree_rate = BitRate{head_gbps * 8'000'000'000};
    bed.gpu_spec->nccl->nvls_tree_net = level;
    bed.run_all({all_reduce(bed.group("world", 8), bytes, algorithm_named("nvls-tree"))});
    bed.run();
    return bed.end_of(0, 0);
  };
  // 20 GB/s of bus bandwidth a head: 4 heads of 8 members sum 4 x 20 x 8 / 14 GB/s, where the rails would
  // carry 200 GB/s.
  const std::int64_t bytes = 256 << 20;
  const SimTime limited = end(20, SimTime{0}, bytes), free = end(0, SimTime{0}, bytes);
  CHECK(limited.count() == Approx(bytes * 1e12 / (80e9 * 8 / 14)).epsilon(0.03));
  CHECK(2 * free < limited);
  // One level up and down.
  const std::int64_t small = 64 * 1024;
  CHECK(end(0, microseconds(30), small) - end(0, microseconds(20), small) == 2 * microseconds(10));
}

TEST_CASE("members that start a collective later hold it up by the latest of them, anew each time") {
  auto time = [](SimTime skew, SimTime begin, SimTime save_at) {
    GpuBed bed({.servers = 2, .gpus = 4, .nics = 4});
    bed.nccl.start_skew = skew;
    bed.nccl.tree_nvlink_simple = bed.nccl.tree_net_simple = SimTime{0};
    Op op = all_reduce(bed.group("world", 8), 64 * 1024, algorithm_named("tree"));
    bed.run_all({compute(begin), op});
    bed.run(save_at);
    return bed.end_of(0, 1) - begin;
  };
  const SimTime mean = microseconds(50), never = time_never;
  const SimTime together = time(SimTime{0}, microseconds(1), never);
  CHECK(time(SimTime{0}, microseconds(2), never) == together);
  // The latest of 8 exponential draws is 1 + 1/2 + ... + 1/8 = 2.718 means late; the mean of 64 of them
  // scatters by sqrt(1 + 1/4 + ... + 1/64) / 8 = 0.15 means. What the steps take of themselves would hide
  // some of it: whoever is late is awaited only when its turn comes.
  SimTime sum{0};
  for (int i = 1; i <= 64; ++i) sum += time(mean, microseconds(i), never) - together;
  CHECK(static_cast<double>(sum.count()) ==
        Approx(64 * 2.718 * static_cast<double>(mean.count())).epsilon(0.2));
  const SimTime apart = time(mean, microseconds(1), never);
  CHECK(time(mean, microseconds(1), never) == apart);
  CHECK(time(mean, microseconds(1), microseconds(60)) == apart);
}

TEST_CASE("a tree over any servers sends every byte up once and down once and ends everywhere") {
  for (std::uint32_t servers : {2u, 3u, 5u, 8u}) {
    GpuBed bed({.servers = servers, .gpus = 4, .nics = 4});
    const std::int64_t bytes = 3'000'002;
    bed.run_all({all_reduce(bed.group("world", 4 * servers), bytes, algorithm_named("tree"))});
    bed.run();
    CHECK(bed.bed.waits().empty());
    CHECK(bed.sent_bytes() == 2 * (4 * servers - 1) * bytes);
    std::int64_t received = 0;
    for (std::uint32_t gpu = 0; gpu < bed.gpus(); ++gpu) received += bed.received_bytes(gpu);
    CHECK(received == bed.sent_bytes());
  }
}

TEST_CASE("an all-reduce in the NVSwitch takes 2 n parts on the line and two passes of the switch") {
  // Every GPU sends its n parts, one train each; the sums stand at their heads when the last is out. All
  // heads but the last multicast at once, the last one path later, and every output carries n results: L =
  // line(part / efficiency), nvls + n L + path + n L + path, less one path where the n - 1 results before it
  // keep the output busy.
  for (std::uint32_t n = 2; n <= 8; ++n) {
    GpuBed bed({.gpus = n, .nvls_efficiency = 0.8});
    const std::int64_t part = 48 * 1024, wire = 60 * 1024;
    bed.run_all({all_reduce(bed.group("tp", n), n * part, algorithm_named("nvls"))});
    bed.run();
    CHECK(bed.nccl.nvls_wire_bytes(0.8, part) == wire);
    REQUIRE(line(wire, nvlink_ps) >= nvlink_path);
    for (std::uint32_t gpu = 0; gpu < n; ++gpu) {
      CHECK(bed.end_of(gpu, 0) == bed.nccl.nvls + 2 * n * line(wire, nvlink_ps) + nvlink_path);
      CHECK(bed.sent_bytes(gpu) == n * part + part);
      CHECK(bed.received_bytes(gpu) == n * part + part);
    }
  }
}

TEST_CASE("large all-reduces in the NVSwitch move n + 1 parts a link at its efficiency") {
  GpuBed bed({.gpus = 8, .nvls_efficiency = 0.8});
  const std::int64_t bytes = 512 << 20;
  bed.run_all({all_reduce(bed.group("tp", 8), bytes, algorithm_named("nvls"))});
  bed.run();
  const double ideal = static_cast<double>(bytes) * 9 / 8 / 0.8 * nvlink_ps;
  CHECK(static_cast<double>((bed.end_of(3, 0) - bed.nccl.nvls).count()) == Approx(ideal).epsilon(0.02));
}

TEST_CASE("heads of several servers reduce over their rails") {
  GpuBed bed({.servers = 3, .gpus = 4, .nics = 4, .nvls_efficiency = 0.8});
  const std::int64_t bytes = 4'000'000;
  bed.run_all({all_reduce(bed.group("world", 12), bytes, algorithm_named("nvls-tree"))});
  bed.run();
  CHECK(bed.bed.waits().empty());
  // Per server its 4 GPUs send 4 parts and one result each; over the rails 2 (servers - 1) times all bytes.
  CHECK(bed.sent_bytes() == 3 * (4 * bytes + bytes) + 2 * 2 * bytes);
  for (std::uint32_t gpu = 0; gpu < 12; ++gpu) CHECK(bed.end_of(gpu, 0) > bed.nccl.nvls);
}

TEST_CASE("a group of some GPUs of a server uses the NVSwitch beside another group") {
  GpuBed bed({.gpus = 8, .nvls_efficiency = 0.8});
  bed.run_all({all_reduce(bed.group("tp", 4), 8 << 20, algorithm_named("nvls"))});
  bed.run();
  GpuBed alone({.gpus = 4, .nvls_efficiency = 0.8});
  alone.run_all({all_reduce(alone.group("tp", 4), 8 << 20, algorithm_named("nvls"))});
  alone.run();
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu) CHECK(bed.end_of(gpu, 0) == alone.end_of(gpu % 4, 0));
}

TEST_CASE("saving and loading in the middle of trees and sums changes nothing") {
  auto ends = [](SimTime save_at) {
    GpuBed bed({.servers = 2, .gpus = 4, .nics = 4, .nvls_efficiency = 0.8});
    GroupKindId world = bed.group("world", 8), tp = bed.group("tp", 4);
    bed.run_all({all_reduce(world, 3 << 20, algorithm_named("tree")),
                 all_reduce(world, 5 << 20, algorithm_named("nvls-tree")),
                 all_reduce(tp, 1 << 20, algorithm_named("nvls"))});
    bed.run(save_at);
    std::vector<std::int64_t> all{bed.bed.end().count(), bed.bed.events()};
    for (std::uint32_t gpu = 0; gpu < 8; ++gpu)
      for (std::uint32_t op = 0; op < 3; ++op) all.push_back(bed.end_of(gpu, op).count());
    return all;
  };
  const auto straight = ends(time_never);
  for (std::int64_t at : {1, 50, 120, 200, 300}) CHECK(ends(microseconds(at)) == straight);
}

TEST_CASE("an algorithm that the group cannot run is refused with the reason") {
  GpuBed bed({.servers = 2, .gpus = 4, .nics = 4});
  bed.run_all({all_reduce(bed.group("tp", 4), 1 << 20, algorithm_named("nvls"))});
  const auto without = bed.mistakes();
  REQUIRE(without.size() == 1);
  CHECK_THAT(without[0],
             Catch::Contains("algorithm 'nvls' needs GPUs behind NVSwitches that reduce and multicast"));
  GpuBed uneven({.servers = 2, .gpus = 4, .nics = 4, .nvls_efficiency = 0.8});
  const auto odd_group = uneven.listed_group("odd", {{0, 1, 2, 4, 5}, {3, 6, 7}});
  uneven.run_all({all_reduce(odd_group, 1 << 20, algorithm_named("nvls-tree"))});
  const auto odd = uneven.mistakes();
  REQUIRE(odd.size() == 1);
  CHECK_THAT(odd[0], Catch::Contains("needs two or more GPUs of each server, the same number of each"));
  GpuBed wide({.servers = 2, .gpus = 4, .nics = 4, .nvls_efficiency = 0.8});
  wide.run_all({all_reduce(wide.group("world", 8), 1 << 20, algorithm_named("nvls"))});
  REQUIRE(wide.mistakes().size() == 1);
  CHECK_THAT(wide.mistakes()[0], Catch::Contains("is for one server (nvls-tree for several)"));
}

TEST_CASE("an all-reduce in the switch of a rail is one way up and one down, however many servers") {
  for (std::uint32_t servers : {2u, 3u, 7u}) {
    GpuBed bed({.servers = servers, .gpus = 1, .nics = 1, .sharp_efficiency = 1});
    const std::int64_t bytes = 60'000;  // one slice, one train
    bed.run_all({all_reduce(bed.group("dp", servers), bytes, algorithm_named("collnet"))});
    bed.run();
    // The sum leaves as the head of the last train does: a cut-through of latencies and one line.
    const SimTime end = bed.nccl.tree_base(Protocol::simple) + bed.nccl.net_overhead + net_path +
                        line(bytes, net_ps) + bed.nccl.collnet_software(Medium::net);
    for (std::uint32_t gpu = 0; gpu < servers; ++gpu) {
      CHECK(bed.end_of(gpu, 0) == end);
      CHECK(bed.sent_bytes(gpu) == bytes);
    }
  }
}

TEST_CASE("reductions on rails share the buffer among the GPUs of a server and end everywhere") {
  for (std::uint32_t servers : {2u, 5u}) {
    auto end = [&](SimTime save_at) {
      GpuBed bed({.servers = servers, .gpus = 4, .nics = 4, .sharp_efficiency = 0.9});
      const std::int64_t bytes = 3'000'000;
      bed.run_all({all_reduce(bed.group("world", 4 * servers), bytes, algorithm_named("collnet"))});
      bed.run(save_at);
      CHECK(bed.bed.waits().empty());
      // In a server every part to its head and back, 3 + 3 quarters a GPU; over the rail its quarter once.
      CHECK(bed.sent_bytes() == servers * (6 * bytes + bytes));
      return bed.end_of(1, 0);
    };
    CHECK(end(microseconds(100)) == end(time_never));
  }
}

// Up and down through the switch above: two switches and two cables more than in one, and no other line.
TEST_CASE("a tree of switches adds its way up and down, and no line, however many servers a leaf has") {
  for (std::uint32_t on_leaf : {1u, 2u, 4u}) {
    GpuBed bed({.servers = 8, .gpus = 1, .nics = 1, .servers_per_leaf = on_leaf, .sharp_efficiency = 1});
    const std::int64_t bytes = 60'000;  // one slice, one train
    bed.run_all({all_reduce(bed.group("dp", 8), bytes, algorithm_named("collnet"))});
    bed.run();
    const SimTime end = bed.nccl.tree_base(Protocol::simple) + bed.nccl.net_overhead + net_path +
                        2 * (switch_latency + cable_latency) + line(bytes, net_ps) +
                        bed.nccl.collnet_software(Medium::net);
    for (std::uint32_t gpu = 0; gpu < 8; ++gpu) {
      CHECK(bed.end_of(gpu, 0) == end);
      CHECK(bed.sent_bytes(gpu) == bytes);
    }
  }
}

// Four servers of a leaf send 3 MB each: added there, one stream of 3 MB goes up the only cable.
TEST_CASE("a leaf passes one stream up, whatever its servers send, also through a checkpoint") {
  const auto end = [](std::uint32_t on_leaf, SimTime save_at) {
    GpuBed bed({.servers = 8, .gpus = 2, .nics = 2, .servers_per_leaf = on_leaf, .sharp_efficiency = 1});
    bed.run_all({all_reduce(bed.group("world", 16), 3'000'000, algorithm_named("collnet"))});
    bed.run(save_at);
    CHECK(bed.bed.waits().empty());
    return bed.end_of(1, 0);
  };
  const SimTime one_switch = end(0, time_never), tree = end(4, time_never);
  CHECK(tree - one_switch == 2 * (switch_latency + cable_latency));
  for (const std::int64_t at : {20, 40, 60}) CHECK(end(4, microseconds(at)) == tree);
}

// Slices of an eighth of the room, by a proxy that posts them at once: the ninth leaves when the first is
// back with its software.
TEST_CASE("a head has no more under way than the switches of its tree hold") {
  NcclSettings nccl;
  nccl.net_overhead = nccl.net_progress = SimTime{0};
  const auto end = [&](std::int64_t room) {
    GpuBed bed({.servers = 4,
                .gpus = 1,
                .nics = 1,
                .servers_per_leaf = 2,
                .sharp_efficiency = 1,
                .sharp_buffer = room});
    bed.nccl = nccl;
    bed.run_all({all_reduce(bed.group("dp", 4), 1 << 20, algorithm_named("collnet"))});
    bed.run();
    CHECK(bed.bed.waits().empty());
    return bed.end_of(0, 0);
  };
  const SimTime way = net_path + 2 * (switch_latency + cable_latency) + nccl.collnet_software(Medium::net);
  for (const std::int64_t room : {std::int64_t{1} << 16, std::int64_t{1} << 17}) {
    const std::int64_t rounds = (1 << 20) / room;
    const SimTime slice = line(room / 8, net_ps);
    CHECK(end(room) == nccl.tree_base(Protocol::simple) + rounds * (slice + way) + 7 * slice);
  }
  CHECK(end(1 << 22) == end(0));
}

TEST_CASE("a tree with more branches at a switch than it takes is refused") {
  const auto mistakes = [](std::uint32_t radix) {
    GpuBed bed({.servers = 6,
                .gpus = 1,
                .nics = 1,
                .servers_per_leaf = 2,
                .sharp_efficiency = 1,
                .sharp_radix = radix});
    bed.run_all({all_reduce(bed.group("dp", 6), 1000, algorithm_named("collnet"))});
    return bed.mistakes();
  };
  CHECK(mistakes(3).empty());
  REQUIRE(mistakes(2).size() == 1);
  CHECK_THAT(mistakes(2)[0], Catch::Contains("needs trees of fewer branches: switch") &&
                                 Catch::Contains("has 3 and takes 2 (sharp-radix)"));
}

TEST_CASE("a reduction in the fabric needs switches that reduce") {
  GpuBed bed({.servers = 2, .gpus = 1, .nics = 1});
  bed.run_all({all_reduce(bed.group("dp", 2), 1000, algorithm_named("collnet"))});
  const auto mistakes = bed.mistakes();
  REQUIRE(mistakes.size() == 1);
  CHECK_THAT(mistakes[0],
             Catch::Contains("algorithm 'collnet' needs") && Catch::Contains("sharp-efficiency"));
}

}  // namespace lightrail::test
