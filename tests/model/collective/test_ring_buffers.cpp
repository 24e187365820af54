#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/random.hpp"
#include "tests/model/collective/gpu_bed.hpp"
#include "tests/support/algorithm_named.hpp"
#include "workloads/collective/ring.hpp"

namespace lightrail::test {
namespace {

constexpr SimTime late = milliseconds(1000);

Op ring(CollectiveType type, GroupKindId group, std::int64_t bytes, Protocol protocol = Protocol::simple) {
  Op op = collective(type, group, bytes, protocol);
  op.algorithm = algorithm_named("ring");
  return op;
}

std::vector<std::uint32_t> gpus_after_first(std::uint32_t n) {
  std::vector<std::uint32_t> rest;
  for (std::uint32_t gpu = 1; gpu < n; ++gpu) rest.push_back(gpu);
  return rest;
}

/// A GPU a server on one switch. GPU 0 comes to the ring later than all others, by `late`.
void run_with_late_first(GpuBed& bed, std::uint32_t n, const Op& op) {
  Program first, others;
  first.streams = others.streams = {"compute"};
  first.ops = {host(late), op};
  others.ops = {op};
  bed.run_on({0}, first);
  bed.run_on(gpus_after_first(n), others);
  bed.run();
  CHECK(bed.bed.waits().empty());
}

/// One step over the network, its line taken `line_bytes` long.
SimTime step_time(const NcclSettings& nccl, Protocol protocol, std::int64_t line_bytes) {
  return nccl.net_overhead + net_path + line(line_bytes, net_ps) + nccl.software(protocol, Medium::net);
}

}  // namespace

TEST_CASE("a ring whose members begin together does not notice the buffers of its steps") {
  for (CollectiveType type :
       {CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter})
    for (std::uint32_t n : {2u, 3u, 8u})
      for (Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple})
        for (std::int64_t block : {12'000, 1 << 20, 16 << 20}) {
          INFO("type " << static_cast<int>(type) << " n " << n << " protocol " << static_cast<int>(protocol)
                       << " block " << block);
          GpuBed bed({.servers = n, .gpus = 1, .nics = 1, .joins_rails = true});
          bed.nccl.ring_plateau = 1;
          bed.run_all({ring(type, bed.group("dp", n), n * block, protocol)});
          bed.run();
          const std::int64_t wire = bed.nccl.net_wire_bytes(protocol, block, bed.nccl.ring_messages(block));
          const std::uint32_t steps = ring_steps(type, n);
          const SimTime closed = bed.nccl.base(protocol) + steps * step_time(bed.nccl, protocol, wire);
          // What hands the buffers back passes on the same lines: 64 B a step, once out and once in.
          for (std::uint32_t gpu = 0; gpu < n; ++gpu) {
            CHECK(bed.end_of(gpu, 0) >= closed);
            CHECK(bed.end_of(gpu, 0) <= closed + steps * line(2 * 64, net_ps));
          }
        }
}

TEST_CASE(
    "who comes late to a ring over servers ends with its last block on the wire, and the others after it") {
  const std::uint32_t n = 8;
  const std::int64_t block = 64 << 20;
  GpuBed bed({.servers = n, .gpus = 1, .nics = 1, .joins_rails = true});
  run_with_late_first(bed, n, ring(CollectiveType::reduce_scatter, bed.group("dp", n), n * block));
  // It sends seven blocks one after the other; the five that it has not yet come in meanwhile. Its kernel
  // stays until the last one is on the wire, which one member waits for; two waits for that one's last, ...
  const std::int64_t wire = bed.nccl.net_wire_bytes(Protocol::simple, block, bed.nccl.ring_messages(block));
  const SimTime sent = late + bed.nccl.base(Protocol::simple) + 7 * line(wire, net_ps);
  const SimTime slack = microseconds(100);  // of 9.4 ms: proxies, paths, software
  CHECK(bed.end_of(0, 1) >= sent);
  CHECK(bed.end_of(0, 1) <= sent + slack);
  CHECK(bed.end_of(1, 0) >= sent + net_path);
  CHECK(bed.end_of(1, 0) <= sent + slack);
}

TEST_CASE("a small block of a late member's is left in the buffer, and its kernel ends") {
  const std::uint32_t n = 8;
  GpuBed bed({.servers = n, .gpus = 1, .nics = 1, .joins_rails = true});
  // Seven steps in LL, eight blocks a buffer: all that it gets is there.
  run_with_late_first(bed, n,
                      ring(CollectiveType::reduce_scatter, bed.group("dp", n), n * 4096, Protocol::ll));
  CHECK(bed.end_of(0, 1) > late + bed.nccl.base(Protocol::ll));
  CHECK(bed.end_of(0, 1) <
        late + bed.nccl.base(Protocol::ll) + bed.nccl.software(Protocol::ll, Medium::net) + microseconds(1));
}

TEST_CASE("what others send to a GPU is not held up by a ring that it has not come to") {
  auto end = [](bool has_ring) {
    const std::uint32_t n = 8;
    GpuBed bed({.servers = n + 1, .gpus = 1, .nics = 1, .joins_rails = true});
    const GroupKindId world = bed.group("world", n + 1);
    const Op op = ring(CollectiveType::reduce_scatter,
                       bed.listed_group("dp", {{0, 1, 2, 3, 4, 5, 6, 7}, {8}}), n * (64 << 20));
    // GPU 8, which is not of the ring, sends GPU 0 64 MiB at 4 ms. Two blocks of 1.34 ms have come there by
    // then; seven would not have.
    Program first, others, sender;
    for (Program* each : {&first, &others, &sender}) each->streams = {"compute", "nccl"};
    Op take = point(OpKind::recv, world, 8, 64 << 20), give = point(OpKind::send, world, 1, 64 << 20);
    const Op wait = host(milliseconds(4), 1);
    take.stream = give.stream = 1;
    first.ops = {wait, take, host(late)};
    sender.ops = {wait, give};
    if (has_ring)
      for (Program* each : {&first, &others}) each->ops.push_back(op);
    bed.run_on({0}, first);
    if (has_ring) bed.run_on({1, 2, 3, 4, 5, 6, 7}, others);
    bed.run_on({n}, sender);
    bed.run();
    CHECK(bed.bed.waits().empty());
    return bed.end_of(0, 1);
  };
  CHECK(end(true) == end(false));
}

TEST_CASE("in a server nothing hands buffers of a ring back: who comes late finds all blocks") {
  const std::uint32_t n = 8;
  GpuBed bed({.gpus = n});
  run_with_late_first(bed, n, ring(CollectiveType::reduce_scatter, bed.group("tp", n), 64 << 20));
  CHECK(bed.end_of(0, 1) < late + bed.nccl.base(Protocol::simple) +
                               ring_steps(CollectiveType::reduce_scatter, n) *
                                   bed.nccl.software(Protocol::simple, Medium::nvlink));
}

TEST_CASE("a ring says for whose buffer and for whose block it waits") {
  const std::uint32_t n = 8;
  GpuBed bed({.servers = n, .gpus = 1, .nics = 1, .joins_rails = true});
  const Op op = ring(CollectiveType::reduce_scatter, bed.group("dp", n), n * (64 << 20));
  const GroupKindId world = bed.group("world", n);
  // GPU 0 does not come before GPU 1 takes its message, and that one not before the ring is over.
  Program first, second, others;
  first.streams = second.streams = others.streams = {"compute"};
  first.ops = {point(OpKind::send, world, 1, 64 << 20), op};
  second.ops = {op, point(OpKind::recv, world, -1, 64 << 20)};
  others.ops = {op};
  bed.run_on({0}, first);
  bed.run_on({1}, second);
  bed.run_on({2, 3, 4, 5, 6, 7}, others);
  bed.run();
  const std::vector<std::string> waits = bed.bed.waits();
  REQUIRE(waits.size() == n);
  CHECK_THAT(waits[1], Catch::Contains("waits for data from gpu0"));
  CHECK_THAT(waits[7], Catch::Contains("waits until gpu0 is ready to receive"));
}

TEST_CASE("rings of any shape end, whoever comes late to them") {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    Random random(seed, ComponentId{0}, 0);
    const auto servers = static_cast<std::uint32_t>(2 + random.below(4));
    const auto gpus = static_cast<std::uint32_t>(1 + random.below(4));
    const auto type = std::array{CollectiveType::all_reduce, CollectiveType::all_gather,
                                 CollectiveType::reduce_scatter}[random.below(3)];
    const auto protocol = std::array{Protocol::ll, Protocol::ll128, Protocol::simple}[random.below(3)];
    const std::int64_t bytes = 2 * (1 + static_cast<std::int64_t>(random.below(1u << random.below(25))));
    const bool wraps = random.below(3) == 0;
    INFO("seed " << seed << ": " << servers << " x " << gpus << ", " << bytes << " B, protocol "
                 << static_cast<int>(protocol) << (wraps ? ", wraps" : ""));
    GpuBed bed({.servers = servers, .gpus = gpus, .nics = gpus, .joins_rails = random.below(2) == 0});
    bed.nccl.steps = std::array{4u, 8u, 16u}[random.below(3)];
    // One ring over all, or one over each place of the servers; where it wraps each member stands for three.
    const bool is_of_places = wraps || random.below(2) == 0;
    const GroupKindId group =
        is_of_places ? bed.group("dp", servers, gpus, wraps ? 3 : 1) : bed.group("world", servers * gpus);
    const Op op = ring(type, group, bytes, protocol);
    for (std::uint32_t gpu = 0; gpu < servers * gpus; ++gpu) {
      Program program;
      program.streams = {"compute"};
      program.ops = {host(microseconds(static_cast<std::int64_t>(1 + random.below(3000)))), op, op};
      bed.run_on({gpu}, program);
    }
    bed.run();
    CHECK(bed.bed.waits().empty());
    for (std::uint32_t gpu = 0; gpu < servers * gpus; ++gpu) CHECK(bed.end_of(gpu, 2) > bed.end_of(gpu, 1));
    // Of one that wraps the simulated members send their own blocks, of which some have an element more.
    const std::int64_t members = is_of_places ? servers : servers * gpus, rings = is_of_places ? gpus : 1;
    if (!wraps)
      CHECK(bed.sent_bytes() ==
            2 * rings * (members - 1) * bytes * (type == CollectiveType::all_reduce ? 2 : 1));
  }
}

}  // namespace lightrail::test
