#include <catch2/catch.hpp>

#include <bit>
#include <cstdint>

#include "tests/model/collective/gpu_bed.hpp"
#include "tests/support/algorithm_named.hpp"

// The model of Thakur, Rabenseifner and Gropp (2005): a step costs alpha + bytes x beta. Here alpha is the
// path of a message and the software at its end, beta the line; before the first step stands the start of the
// collective.
//   n = 2^k:   2 k alpha + 2 (n - 1) / n S beta
//   n = 2^k + r, 0 < r < 2^k: (2 k + 3) alpha + (2 (2^k - 1) / 2^k + 2) S beta

namespace lightrail::test {
namespace {

Op by_halving(CollectiveType type, GroupKindId group, std::int64_t bytes) {
  Op op = collective(type, group, bytes, Protocol::simple);
  op.algorithm = algorithm_named("halving-doubling");
  return op;
}

SimTime nvlink_step(const NcclSettings& nccl) {
  return nvlink_path + nccl.software(Protocol::simple, Medium::nvlink);
}
SimTime net_step(const NcclSettings& nccl) {
  return nccl.net_overhead + net_path + nccl.software(Protocol::simple, Medium::net);
}

constexpr std::int64_t size = 48'000;  ///< a multiple of 2 x 16; one train of the grain (16 packets of 4 KiB)

}  // namespace

TEST_CASE(
    "recursive halving and doubling in an NVSwitch takes 2 log2 n steps and 2 (n - 1) / n of the bytes") {
  for (std::uint32_t n : {2u, 4u, 8u, 16u}) {
    CAPTURE(n);
    GpuBed bed({.gpus = n});
    bed.run_all({by_halving(CollectiveType::all_reduce, bed.group("dp", n), size)});
    bed.run();
    const std::int64_t sent = 2 * (n - 1) * size / n;
    const SimTime steps = 2 * (std::bit_width(n) - 1) * nvlink_step(bed.nccl);
    for (std::uint32_t gpu = 0; gpu < n; ++gpu) {
      CHECK(bed.end_of(gpu, 0) == bed.nccl.base(Protocol::simple) + steps + line(sent, nvlink_ps));
      CHECK(bed.sent_bytes(gpu) == sent);
      CHECK(bed.received_bytes(gpu) == sent);
    }
  }
}

TEST_CASE("... and over one switch of the network") {
  for (std::uint32_t n : {2u, 8u, 16u}) {
    CAPTURE(n);
    GpuBed bed({.servers = n, .gpus = 1, .nics = 1});
    bed.run_all({by_halving(CollectiveType::all_reduce, bed.group("dp", n), size)});
    bed.run();
    const std::int64_t sent = 2 * (n - 1) * size / n;
    const SimTime steps = 2 * (std::bit_width(n) - 1) * net_step(bed.nccl);
    for (std::uint32_t gpu = 0; gpu < n; ++gpu) {
      CHECK(bed.end_of(gpu, 0) == bed.nccl.base(Protocol::simple) + steps + line(sent, net_ps));
      CHECK(bed.sent_bytes(gpu) == sent);
    }
  }
}

TEST_CASE("its large halves stay in a server: only the small parts cross the network") {
  // Two servers of four: distances 1 and 2 over NVLink (S/2 and S/4, there and back), 4 over the rail (S/8).
  GpuBed bed({.servers = 2, .gpus = 4, .nics = 4});
  bed.run_all({by_halving(CollectiveType::all_reduce, bed.group("world", 8), size)});
  bed.run();
  for (std::uint32_t gpu = 0; gpu < 8; ++gpu)
    CHECK(bed.end_of(gpu, 0) == bed.nccl.base(Protocol::simple) + 4 * nvlink_step(bed.nccl) +
                                    2 * net_step(bed.nccl) + line(2 * size * 3 / 4, nvlink_ps) +
                                    line(2 * size / 8, net_ps));
}

TEST_CASE("where n is no power of two the first members fold in pairs: three steps and 2 S more") {
  for (std::uint32_t n : {3u, 5u, 6u, 7u, 12u}) {
    CAPTURE(n);
    GpuBed bed({.gpus = n});
    bed.run_all({by_halving(CollectiveType::all_reduce, bed.group("dp", n), size)});
    bed.run();
    CHECK(bed.bed.waits().empty());
    const std::uint32_t core = std::bit_floor(n), pairs = n - core;
    const std::int64_t halved = 2 * (core - 1) * size / core;
    const SimTime start = bed.nccl.base(Protocol::simple);
    const std::int64_t steps = 2 * (std::bit_width(core) - 1);
    const SimTime folded = start + (steps + 2) * nvlink_step(bed.nccl) + line(halved + size, nvlink_ps);
    for (std::uint32_t gpu = 0; gpu < 2 * pairs; gpu += 2) {
      // The even one sends half a buffer, takes part, hands the result back; the odd one sends two halves.
      CHECK(bed.sent_bytes(gpu) == size / 2 + halved + size);
      CHECK(bed.sent_bytes(gpu + 1) == size);
      CHECK(bed.end_of(gpu + 1, 0) == folded + nvlink_step(bed.nccl) + line(size, nvlink_ps));
    }
    for (std::uint32_t gpu = 2 * pairs; gpu < n; ++gpu) {
      CHECK(bed.sent_bytes(gpu) == halved);
      CHECK(bed.end_of(gpu, 0) <= folded);
    }
  }
}

TEST_CASE("a reduce-scatter is its first half, an all-gather its second") {
  for (CollectiveType type : {CollectiveType::reduce_scatter, CollectiveType::all_gather}) {
    GpuBed bed({.gpus = 8});
    bed.run_all({by_halving(type, bed.group("dp", 8), size)});
    bed.run();
    for (std::uint32_t gpu = 0; gpu < 8; ++gpu) {
      CHECK(bed.end_of(gpu, 0) ==
            bed.nccl.base(Protocol::simple) + 3 * nvlink_step(bed.nccl) + line(size * 7 / 8, nvlink_ps));
      CHECK(bed.sent_bytes(gpu) == size * 7 / 8);
    }
  }
}

TEST_CASE("odd payloads, down to fewer elements than members, move every part once") {
  for (std::uint32_t n : {4u, 6u, 13u, 16u})
    for (std::int64_t bytes : {4l, 12l, 60l, 1'000'004l}) {
      CAPTURE(n, bytes);
      GpuBed bed({.servers = n, .gpus = 1, .nics = 1});
      Op op = by_halving(CollectiveType::all_reduce, bed.group("dp", n), bytes);
      op.element_bytes = 4;
      bed.run_all({op});
      bed.run();
      CHECK(bed.bed.waits().empty());
      // A pair: twice the second half, the first, the result.
      const std::int64_t core = std::bit_floor(n), pairs = n - core, second = (bytes / 4 + 1) / 2 * 4;
      CHECK(bed.sent_bytes() == 2 * (core - 1) * bytes + pairs * (2 * bytes + second));
      std::int64_t received = 0;
      for (std::uint32_t gpu = 0; gpu < n; ++gpu) received += bed.received_bytes(gpu);
      CHECK(received == bed.sent_bytes());
    }
}

TEST_CASE("parts of a group that is no power of two are refused with the reason") {
  GpuBed bed({.gpus = 6});
  bed.run_all({by_halving(CollectiveType::all_gather, bed.group("dp", 6), size)});
  const auto mistakes = bed.mistakes();
  REQUIRE(mistakes.size() == 1);
  CHECK_THAT(mistakes[0],
             Catch::Contains("algorithm 'halving-doubling' needs a power-of-two number of GPUs for "
                             "all-gather and reduce-scatter; the group of gpu 0 has 6 GPUs in 1 "
                             "server"));
}

TEST_CASE("it is taken only where it is asked for, by the operation or by <nccl>") {
  auto end = [](const char* of_nccl) {
    GpuBed bed({.gpus = 8});
    if (of_nccl) bed.nccl.algorithm = algorithm_named(of_nccl);
    bed.run_all({collective(CollectiveType::all_reduce, bed.group("dp", 8), size)});
    bed.run();
    return bed.end_of(0, 0);
  };
  const NcclSettings nccl;
  const SimTime halved =
      nccl.base(Protocol::simple) + 6 * nvlink_step(nccl) + line(2 * size * 7 / 8, nvlink_ps);
  CHECK(end("halving-doubling") == halved);
  CHECK(end(nullptr) != halved);
}

TEST_CASE("recursive halving that is saved in the middle ends as one that is not") {
  auto end = [](SimTime save_at) {
    GpuBed bed({.servers = 3, .gpus = 2, .nics = 2});
    bed.run_all({by_halving(CollectiveType::all_reduce, bed.group("dp", 6), 400 * size)});
    bed.run(save_at);
    return bed.end_of(5, 0);
  };
  CHECK(end(microseconds(300)) == end(time_never));
}

}  // namespace lightrail::test
