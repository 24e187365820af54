#include "components/host/host.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "components/gpu/tables.hpp"
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

/// A write of host memory.
Op write(std::int64_t bytes, IoMode io) {
  Op op;
  op.kind = OpKind::storage_write;
  op.bytes = bytes;
  op.io = io;
  return op;
}

/// Two GPUs with a NIC each, a host and a storage server.
ClusterShape with_storage() {
  return {.gpus = 2, .nics = 2, .has_nvswitch = false, .has_host = true, .joins_rails = true, .storage = 1};
}

TEST_CASE("a write from host memory goes by the GPU's NIC and is counted as the GPU's traffic") {
  const auto end_of = [](IoMode io) {
    GpuBed bed(with_storage());
    Program program;
    program.streams = {"checkpoint"};
    program.ops = {write(10 * MiB, io)};
    bed.run_on({0}, program);
    bed.run();
    CHECK(bed.bed.waits().empty());
    CHECK(bed.sent_bytes(0) == 10 * MiB);
    return bed.end_of(0, 0);
  };
  // As one of the GPU's memory, but that the GPU tells the host and the first MiB is read before it can
  // leave.
  const SimTime own = end_of(IoMode::own), host = end_of(IoMode::from_host);
  CHECK(own > line(10 * MiB, net_ps));
  CHECK(host > own);
  CHECK(host < own + pcie_latency + line(MiB, memory_ps) + microseconds(2));
}

/// Ends of the steps of GPU 0.
std::vector<SimTime> steps(GpuBed& bed) {
  std::vector<SimTime> ends;
  for (const Row& row : bed.bed.rows(tables::steps))
    if (row.values[0] == 0) ends.push_back(SimTime{row.values[3]});
  return ends;
}

TEST_CASE("a write in the background holds up no step but the one that writes again") {
  // Steps of 10 us; a write takes 210 us and more, and each second step begins one.
  const auto run = [](IoMode io, SimTime save_at) {
    GpuBed bed(with_storage());
    Op save = write(10 * MiB, io);
    save.stream = 1, save.every = 2, save.turn = 1;
    Program program;
    program.streams = {"compute", "checkpoint"};
    program.ops = {compute(microseconds(10)), save};
    bed.run_on({0}, program);
    bed.set.iterations = 5;
    bed.run(save_at);
    CHECK(bed.bed.waits().empty());
    CHECK(bed.sent_bytes(0) == 2 * 10 * MiB);
    return steps(bed);
  };
  const auto ends = run(IoMode::background, time_never);
  REQUIRE(ends.size() == 5);
  for (int i = 0; i < 3; ++i) CHECK(ends[i] == microseconds(10) * (i + 1));
  CHECK(ends[3] > microseconds(20) + line(10 * MiB, net_ps));  // the second write waited for the first
  CHECK(ends[4] == ends[3] + microseconds(10));                // but nobody for the second
  CHECK(run(IoMode::background, microseconds(120)) == ends);
  const auto waiting = run(IoMode::from_host, time_never);
  CHECK(waiting[0] == microseconds(10));
  CHECK(waiting[1] > microseconds(10) + line(10 * MiB, net_ps));
  CHECK(waiting[2] == waiting[1] + microseconds(10));
}

TEST_CASE("bytes that are being written are not copied over") {
  GpuBed bed(with_storage());
  Op stage = copy(0, MiB), save = write(10 * MiB, IoMode::background);
  stage.stream = 0, save.stream = 1;
  Program program;
  program.streams = {"copies", "checkpoint"};
  program.dependencies = {0};
  save.first_dependency = 0, save.dependency_count = 1;
  program.ops = {stage, save};
  bed.run_on({0}, program);
  bed.set.iterations = 2;
  bed.run();
  const auto ends = steps(bed);
  REQUIRE(ends.size() == 2);
  CHECK(ends[0] < line(2 * MiB, net_ps));
  // The second copy begins when the first write has ended.
  CHECK(ends[1] > ends[0] + line(10 * MiB, net_ps) + line(MiB, net_ps));
}

}  // namespace lightrail::test
