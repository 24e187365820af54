#include "components/host/host.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>

#include "tests/model/collective/gpu_bed.hpp"

namespace lightrail::test {
namespace {

Op copy(std::int32_t to_gpu, std::int64_t bytes) {
  Op op;
  op.kind = OpKind::host_copy;
  op.bytes = bytes;
  op.peer = to_gpu;
  return op;
}

constexpr std::int64_t MiB = 1 << 20, memory_ps = 10;
/// PCIe of the test's cluster to the host and back; the root complex forwards between ports only.
const SimTime answer = pcie_latency + line(64, net_ps);

}  // namespace

TEST_CASE("a copy to the host goes at PCIe's rate when the memory is faster") {
  GpuBed bed({.gpus = 1, .has_host = true});
  bed.run_all({copy(0, 10 * MiB)});
  bed.run();
  CHECK(bed.end_of(0, 0) == line(10 * MiB, net_ps) + pcie_latency + answer);
  CHECK(bed.sent_bytes(0) == 10 * MiB);
}

TEST_CASE("a copy to the GPU is asked for, read in pieces and sent as they are read") {
  GpuBed bed({.gpus = 1, .has_host = true});
  bed.run_all({copy(1, 10 * MiB)});
  bed.run();
  // The first MiB is read before it can leave; after that PCIe is the slower one.
  CHECK(bed.end_of(0, 0) == answer + line(MiB, memory_ps) + line(10 * MiB, net_ps) + pcie_latency);
}

TEST_CASE("copies of many GPUs share the memory's bandwidth") {
  // Four GPUs at 20 ps a byte of PCIe each would need 5 ps a byte; the memory takes 10.
  GpuBed bed({.gpus = 4, .has_host = true});
  bed.run_all({copy(0, 64 * MiB)});
  bed.run();
  SimTime last{};
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) last = std::max(last, bed.end_of(gpu, 0));
  const SimTime memory = line(4 * 64 * MiB, memory_ps);
  CHECK(last > memory);
  CHECK(last < memory + microseconds(10));
}

TEST_CASE("copies of several sizes, both ways and saved in the middle, end with nothing left") {
  GpuBed bed({.gpus = 3, .has_host = true});
  bed.run_all({copy(0, 1), copy(1, 3 * MiB + 5), copy(0, 2 * MiB - 1), copy(1, 1), copy(0, 0)});
  bed.set.iterations = 3;
  bed.run(microseconds(150));
  CHECK(bed.bed.waits().empty());
  CHECK(bed.sent_bytes() == 3 * 3 * (2 * MiB));
}

TEST_CASE("GPUs without an NVSwitch share nothing but the root complex") {
  GpuBed bed({.gpus = 4, .has_nvswitch = false, .has_host = true});
  Op reduce = collective(CollectiveType::all_reduce, bed.group("tp", 4), 4 * MiB);
  bed.run_all({reduce});
  bed.run();
  const SimTime step =
      line(MiB, net_ps) + 2 * pcie_latency + host_latency + bed.nccl.software(Protocol::simple, Medium::pci);
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) CHECK(bed.end_of(gpu, 0) == bed.nccl.base_simple + 6 * step);
}

}  // namespace lightrail::test
