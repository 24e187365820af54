#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/model/collective/gpu_bed.hpp"
#include "tests/support/algorithm_named.hpp"
#include "workloads/collective/ring.hpp"

namespace lightrail::test {
namespace {

/// Closed form of a ring over n on one NVSwitch, blocks of any size. Member r sends in step s after it
/// received step s - 1; a message of w wire bytes occupies the sender's NVLink for w times 5 ps, its tail
/// arrives one path later and the software time follows:
///   R(r, s) = max(R(r - 1, s - 1), line free) + 5 w + path + software,  R(r, -1) = base.
/// With equal blocks: base + steps * (5 w + path + software).
std::vector<SimTime> ring_end(const NcclSettings& nccl, Protocol protocol, CollectiveType type,
                              std::uint32_t n, std::int64_t bytes, std::uint32_t element) {
  const std::uint32_t steps = ring_steps(type, n);
  const SimTime software = nccl.software(protocol, Medium::nvlink);
  std::vector<SimTime> received(n, nccl.base(protocol)), line_free(n, SimTime{0});
  for (std::uint32_t s = 0; s < steps; ++s) {
    std::vector<SimTime> next(n);
    for (std::uint32_t r = 0; r < n; ++r) {
      const std::int64_t payload = part_bytes(bytes, element, n, ring_block(type, n, r, s));
      const std::uint32_t to = (r + 1) % n;
      if (payload == 0) {
        next[to] = received[to];
        continue;
      }
      const std::int64_t wire = nccl.wire_bytes(protocol, payload);
      line_free[r] = std::max(received[r], line_free[r]) + line(wire, nvlink_ps);
      next[to] = std::max(received[to], line_free[r] + nvlink_path) + software;
    }
    received = next;
  }
  return received;
}

void check(CollectiveType type, Protocol protocol, std::uint32_t n, std::int64_t bytes,
           std::uint16_t element = 2) {
  INFO("type " << static_cast<int>(type) << " protocol " << static_cast<int>(protocol) << " n " << n
               << " bytes " << bytes);
  GpuBed bed({.gpus = n});
  Op op = collective(type, bed.group("tp", n), bytes, protocol);
  op.element_bytes = element;
  bed.run_all({op});
  bed.run();
  const auto ends = ring_end(bed.nccl, protocol, type, n, bytes, element);
  for (std::uint32_t gpu = 0; gpu < n; ++gpu) CHECK(bed.end_of(gpu, 0) == ends[gpu]);
  const std::int64_t passes = type == CollectiveType::all_reduce ? 2 : 1;
  CHECK(bed.sent_bytes() == passes * (n - 1) * bytes);
  for (std::uint32_t gpu = 0; gpu < n; ++gpu)
    if (bytes % (element * n) == 0) CHECK(bed.sent_bytes(gpu) == passes * (n - 1) * bytes / n);
}

}  // namespace

TEST_CASE("ring collectives of 2 to 8 GPUs on an NVSwitch take exactly their closed form") {
  for (CollectiveType type :
       {CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter})
    for (std::uint32_t n = 2; n <= 8; ++n)
      for (Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple})
        check(type, protocol, n, std::int64_t{n} * 840 * 1024);
}

TEST_CASE("an all-reduce of equal blocks takes base + 2(n-1) (block / rate + path + software)") {
  GpuBed bed({.gpus = 8});
  bed.run_all({collective(CollectiveType::all_reduce, bed.group("tp", 8), 64 << 20)});
  bed.run();
  // 8.4 us + 14 * (8 MiB at 200 GB/s + 0.2 us + 3.4 us - 0.2 us) = 8.4 + 14 * (41.94304 + 3.4) us
  CHECK(bed.end_of(0, 0) == picoseconds(8'400'000 + 14 * (41'943'040 + 3'400'000)));
}

TEST_CASE("two servers that stand for 4 each take as long as a ring of 8, step by step") {
  for (CollectiveType type :
       {CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter})
    for (Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
      INFO("type " << static_cast<int>(type) << " protocol " << static_cast<int>(protocol));
      GpuBed all({.servers = 8, .gpus = 1, .nics = 1, .joins_rails = true}),
          part({.servers = 2, .gpus = 1, .nics = 1, .joins_rails = true});
      all.run_all({collective(type, all.group("dp", 8), 64 << 20, protocol)});
      part.run_all({collective(type, part.group("dp", 2, 1, 4), 64 << 20, protocol)});
      for (GpuBed* bed : {&all, &part}) bed->run();
      for (std::uint32_t gpu = 0; gpu < 2; ++gpu) {
        CHECK(part.end_of(gpu, 0) == all.end_of(gpu, 0));
        CHECK(part.sent_bytes(gpu) == all.sent_bytes(gpu));
      }
    }
}

TEST_CASE("folded rings send the same bytes and end when the steps would") {
  for (CollectiveType type :
       {CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter})
    for (std::uint32_t n = 2; n <= 8; ++n)
      for (Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple}) {
        INFO("type " << static_cast<int>(type) << " protocol " << static_cast<int>(protocol) << " n " << n);
        GpuBed bed({.gpus = n});
        bed.nccl.fold_rings = true;
        // Not the bed's 200 ns: a path that differs from what NCCL's constants hold counts in every step.
        if (n % 2 == 0) bed.nccl.nvlink_path = nanoseconds(50);
        const std::int64_t bytes = std::int64_t{n} * 840 * 1024;
        bed.run_all({collective(type, bed.group("tp", n), bytes, protocol)});
        bed.run();
        const auto ends = ring_end(bed.nccl, protocol, type, n, bytes, 2);
        // Bytes on the wire are rounded up once a message: fewer messages, up to a byte (5 ps) less each.
        for (std::uint32_t gpu = 0; gpu < n; ++gpu) {
          CHECK(bed.end_of(gpu, 0) <= ends[gpu]);
          CHECK(bed.end_of(gpu, 0) >= ends[gpu] - picoseconds(nvlink_ps * ring_steps(type, n)));
          CHECK(bed.sent_bytes(gpu) == (type == CollectiveType::all_reduce ? 2 : 1) * (n - 1) * bytes / n);
        }
      }
}

TEST_CASE("folded rings of odd sizes send every member's bytes") {
  for (std::int64_t bytes : {1'000'002, 2, 6, 10, 100'001})
    for (CollectiveType type :
         {CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter}) {
      GpuBed steps({.gpus = 7}), folded({.gpus = 7});
      folded.nccl.fold_rings = true;
      for (GpuBed* bed : {&steps, &folded}) {
        bed->run_all({collective(type, bed->group("tp", 7), bytes)});
        bed->run();
      }
      for (std::uint32_t gpu = 0; gpu < 7; ++gpu) CHECK(steps.sent_bytes(gpu) == folded.sent_bytes(gpu));
    }
}

TEST_CASE("in a folded ring all wait for whoever comes late") {
  const SimTime late = milliseconds(1);
  for (std::uint32_t who = 0; who < 8; ++who) {
    GpuBed bed({.gpus = 8});
    bed.nccl.fold_rings = true;
    const Op ring = collective(CollectiveType::all_reduce, bed.group("tp", 8), 64 << 20);
    Op wait;
    wait.kind = OpKind::host;
    wait.duration = late;
    Program first, others;
    first.streams = others.streams = {"compute"};
    first.ops = {wait, ring};
    others.ops = {ring};
    std::vector<std::uint32_t> rest;
    for (std::uint32_t gpu = 0; gpu < 8; ++gpu)
      if (gpu != who) rest.push_back(gpu);
    bed.run_on({who}, first);
    bed.run_on(rest, others);
    bed.run();
    const auto ends = ring_end(bed.nccl, Protocol::simple, CollectiveType::all_reduce, 8, 64 << 20, 2);
    for (std::uint32_t gpu = 0; gpu < 8; ++gpu) CHECK(bed.end_of(gpu, gpu == who ? 1 : 0) == late + ends[0]);
  }
}

TEST_CASE("rings over a network keep their steps when rings are folded") {
  GpuBed bed({.servers = 3, .gpus = 1, .nics = 1, .joins_rails = true}),
      folded({.servers = 3, .gpus = 1, .nics = 1, .joins_rails = true});
  folded.nccl.fold_rings = true;
  for (GpuBed* each : {&bed, &folded}) {
    each->run_all({collective(CollectiveType::all_reduce, each->group("dp", 3), 3 << 20)});
    each->run();
  }
  for (std::uint32_t gpu = 0; gpu < 3; ++gpu) CHECK(bed.end_of(gpu, 0) == folded.end_of(gpu, 0));
}

TEST_CASE(
    "the software of a step over the network is a latency, not a pace, as far as the buffer has blocks") {
  // Between two servers of 4 GPUs: 14 steps, of which a block makes some over the rail.
  auto end = [](std::uint32_t chunk_steps) {
    GpuBed bed({.servers = 2, .gpus = 4, .nics = 4});
    bed.nccl.ring_chunk_steps = chunk_steps;
    bed.nccl.net_simple = microseconds(100);
    bed.run_all({collective(CollectiveType::all_gather, bed.group("world", 8), 8 * 1024)});
    bed.run();
    return bed.end_of(0, 0) - bed.nccl.base_simple;
  };
  // 7 steps, two of 8 links over the rail, so one or two on the way of each block; one block ahead: 7 of
  // them.
  CHECK(end(4) < microseconds(4 * 100));
  CHECK(end(8) >= microseconds(7 * 95));
}

TEST_CASE("an adapter's plugin slows messages down by its time for each and by the bytes that it stages") {
  auto end = [](SimTime message_time, Bytes staged, BitRate rate) {
    GpuBed bed({.servers = 2, .gpus = 1, .nics = 1});
    bed.nic_spec->message_time = message_time;
    bed.nic_spec->staged_bytes = staged;
    bed.nic_spec->staged_rate = rate;
    // Two steps of a block of 64 KiB: two channels, a slice of 32 KiB each.
    bed.run_all({collective(CollectiveType::all_reduce, bed.group("dp", 2), 128 * 1024)});
    bed.run();
    return bed.end_of(0, 0);
  };
  const SimTime plain = end(SimTime{0}, Bytes{0}, BitRate{0});
  CHECK(end(microseconds(3), Bytes{0}, BitRate{0}) - plain == 2 * 2 * microseconds(3));
  // The rail has 50 GB/s: half of that takes as long again.
  CHECK(end(SimTime{0}, Bytes{16 * 1024}, BitRate{200'000'000'000}) - plain ==
        2 * line(2 * 16 * 1024, net_ps));
  CHECK(end(SimTime{0}, Bytes{1 << 20}, BitRate{200'000'000'000}) - plain == 2 * line(64 * 1024, net_ps));
  CHECK(end(SimTime{0}, Bytes{1 << 20}, BitRate{800'000'000'000}) == plain);
}

TEST_CASE("an adapter whose plugin allows Simple alone has no LL in collectives, sends and receives") {
  auto end = [](bool is_simple_only, Protocol protocol) {
    GpuBed bed({.servers = 2, .gpus = 1, .nics = 1});
    bed.nic_spec->is_simple_only = is_simple_only;
    bed.nccl.protocol = protocol;
    Op small = collective(CollectiveType::all_reduce, bed.group("dp", 2), 1024, Protocol::auto_select);
    small.algorithm = algorithm_named("ring");
    bed.run_all({small});
    bed.run();
    return bed.end_of(0, 0);
  };
  CHECK(end(true, Protocol::auto_select) == end(false, Protocol::simple));
  CHECK(end(false, Protocol::auto_select) == end(false, Protocol::ll));
  CHECK(end(true, Protocol::ll) == end(false, Protocol::ll));
  CHECK(end(true, Protocol::auto_select) > end(false, Protocol::auto_select));
}

TEST_CASE("small all-reduces of a ring in Simple over servers are spared the plateau") {
  // Two NCCL channels, 2 members: from 256 B on. A step: NCCL's constant, or 1.4 times it.
  auto end = [](std::int64_t bytes, double plateau) {
    GpuBed bed({.servers = 2, .gpus = 1, .nics = 1});
    bed.nccl.ring_plateau = plateau;
    bed.run_all({collective(CollectiveType::all_reduce, bed.group("dp", 2), bytes)});
    bed.run();
    return bed.end_of(0, 0);
  };
  CHECK(end(252, 1.4) == end(252, 1));
  CHECK(end(256, 1.4) - end(256, 1) == scaled(microseconds(8), 0.42) + 2 * scaled(microseconds(14), 0.4));
}

TEST_CASE("blocks that do not divide add up exactly and keep the closed form") {
  check(CollectiveType::all_reduce, Protocol::simple, 7, 1'000'002);
  check(CollectiveType::all_reduce, Protocol::ll, 3, 100'001);
  check(CollectiveType::all_gather, Protocol::simple, 5, 123'458, 4);
  check(CollectiveType::reduce_scatter, Protocol::ll128, 6, 1'000'001, 4);
}

TEST_CASE("fewer elements than members leave blocks empty, and the rest still arrives") {
  for (std::int64_t bytes : {2, 4, 6, 10}) check(CollectiveType::all_reduce, Protocol::ll, 8, bytes);
  check(CollectiveType::all_gather, Protocol::ll, 8, 2);
  check(CollectiveType::reduce_scatter, Protocol::ll, 8, 6);
}

TEST_CASE("a broadcast streams its slices through the ring") {
  // K slices of w bytes through n - 1 hops: base + (n-1) * (5 w + path) + software of each hop, and (K-1) * 5
  // w.
  for (std::uint32_t n = 2; n <= 8; ++n) {
    GpuBed bed({.gpus = n});
    const std::int64_t slice = bed.nccl.slice_bytes(Protocol::simple, Medium::nvlink);
    CHECK(slice == 24 * 512 * 1024);
    const std::int64_t slices = 5;
    Op op = collective(CollectiveType::broadcast, bed.group("tp", n), slices * slice);
    op.root = n / 2;
    bed.run_all({op});
    bed.run();
    const SimTime hop =
        line(slice, nvlink_ps) + nvlink_path + bed.nccl.software(Protocol::simple, Medium::nvlink);
    for (std::uint32_t i = 1; i < n; ++i)
      CHECK(bed.end_of((op.root + i) % n, 0) ==
            bed.nccl.base_simple + i * hop + (slices - 1) * line(slice, nvlink_ps));
    CHECK(bed.end_of(op.root, 0) == bed.nccl.base_simple + slices * line(slice, nvlink_ps));
    CHECK(bed.sent_bytes() == (n - 1) * op.bytes);
  }
}

TEST_CASE("a barrier takes base and ceil(log2 n) rounds") {
  for (std::uint32_t n = 2; n <= 8; ++n) {
    GpuBed bed({.gpus = n});
    bed.run_all({collective(CollectiveType::barrier, bed.group("tp", n), 0, Protocol::auto_select)});
    bed.run();
    std::int64_t rounds = 0;
    while ((1u << rounds) < n) ++rounds;
    // A control message of 64 B: 320 ps on the line.
    const SimTime round = line(64, nvlink_ps) + nvlink_path + bed.nccl.software(Protocol::ll, Medium::nvlink);
    for (std::uint32_t gpu = 0; gpu < n; ++gpu)
      CHECK(bed.end_of(gpu, 0) == bed.nccl.base_ll + rounds * round);
    CHECK(bed.sent_bytes() == 0);
  }
}

TEST_CASE("a collective over a group of one ends when it starts and sends nothing") {
  GpuBed bed({.gpus = 2});
  GroupKindId alone = bed.group("alone", 1);
  Op wait = collective(CollectiveType::all_reduce, bed.group("tp", 2), 1 << 20);
  bed.run_all({wait, collective(CollectiveType::all_reduce, alone, 1 << 20),
               collective(CollectiveType::all_to_all, alone, 1 << 20),
               collective(CollectiveType::barrier, alone, 0)});
  bed.run();
  for (std::uint32_t op : {1u, 2u, 3u}) CHECK(bed.end_of(0, op) == bed.end_of(0, 0));
  CHECK(bed.sent_bytes(0) == 1 << 20);
}

TEST_CASE("a collective of no bytes takes its base latency") {
  GpuBed bed({.gpus = 4});
  bed.run_all({collective(CollectiveType::all_reduce, bed.group("tp", 4), 0)});
  bed.run();
  CHECK(bed.end_of(3, 0) == bed.nccl.base_simple);
}

TEST_CASE("all groups of a kind run at the same time without a difference") {
  GpuBed bed({.gpus = 8});
  bed.run_all({collective(CollectiveType::all_reduce, bed.group("tp", 4), 1 << 20)});
  bed.run();
  const auto ends = ring_end(bed.nccl, Protocol::simple, CollectiveType::all_reduce, 4, 1 << 20, 2);
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu) CHECK(bed.end_of(gpu, 0) == ends[gpu % 4]);
}

TEST_CASE("members given in any order form the same ring") {
  GpuBed bed({.gpus = 4});
  bed.run_all({collective(CollectiveType::all_gather, bed.listed_group("odd", {{3, 0, 2, 1}}), 4 << 20)});
  bed.run();
  CHECK(bed.end_of(2, 0) ==
        ring_end(bed.nccl, Protocol::simple, CollectiveType::all_gather, 4, 4 << 20, 2)[0]);
}

}  // namespace lightrail::test
