#include <catch2/catch.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "network/transport/tables.hpp"
#include "tests/model/collective/gpu_bed.hpp"
#include "tests/support/algorithm_named.hpp"

namespace lightrail::test {
namespace {

constexpr CollectiveType gather = CollectiveType::all_gather, scatter = CollectiveType::reduce_scatter;

Op in_switch(CollectiveType type, GroupKindId group, std::int64_t bytes) {
  Op op = collective(type, group, bytes);
  op.algorithm = algorithm_named("nvls");
  return op;
}

}  // namespace

// L = line(part / efficiency). What is gathered: all parts leave at once and every output of the switch
// carries n of them, what is reduced: every input does. So nvls + n L + path.
TEST_CASE("an all-gather in the NVSwitch sends a part once and receives n") {
  for (std::uint32_t n = 2; n <= 8; ++n) {
    GpuBed bed({.gpus = n, .nvls_efficiency = 0.8});
    const std::int64_t part = 48 * 1024, wire = 60 * 1024;
    bed.run_all({in_switch(gather, bed.group("tp", n), n * part)});
    bed.run();
    CHECK(bed.bed.waits().empty());
    for (std::uint32_t gpu = 0; gpu < n; ++gpu) {
      CHECK(bed.end_of(gpu, 0) == bed.nccl.nvls + n * line(wire, nvlink_ps) + nvlink_path);
      CHECK(bed.sent_bytes(gpu) == part);
      CHECK(bed.received_bytes(gpu) == n * part);
    }
  }
}

TEST_CASE("a reduce-scatter in the NVSwitch sends n parts and receives one, all at the same time") {
  for (std::uint32_t n = 2; n <= 8; ++n) {
    GpuBed bed({.gpus = n, .nvls_efficiency = 0.8});
    const std::int64_t part = 48 * 1024, wire = 60 * 1024;
    bed.run_all({in_switch(scatter, bed.group("tp", n), n * part)});
    bed.run();
    CHECK(bed.bed.waits().empty());
    for (std::uint32_t gpu = 0; gpu < n; ++gpu) {
      CHECK(bed.end_of(gpu, 0) == bed.nccl.nvls + n * line(wire, nvlink_ps) + nvlink_path);
      CHECK(bed.sent_bytes(gpu) == n * part);
      CHECK(bed.received_bytes(gpu) == part);
    }
  }
}

TEST_CASE("large parts go through the NVSwitch at its efficiency, n parts a link, for all members as long") {
  for (CollectiveType type : {gather, scatter}) {
    GpuBed bed({.gpus = 8, .nvls_efficiency = 0.8});
    const std::int64_t bytes = 512 << 20;
    bed.run_all({in_switch(type, bed.group("tp", 8), bytes)});
    bed.run();
    const double ideal = static_cast<double>(bytes) / 0.8 * nvlink_ps;
    for (std::uint32_t gpu = 0; gpu < 8; ++gpu)
      CHECK(static_cast<double>((bed.end_of(gpu, 0) - bed.nccl.nvls).count()) == Approx(ideal).epsilon(0.02));
  }
}

TEST_CASE(
    "parts of odd sizes, fewer elements than members and two groups of a server go through the NVSwitch") {
  for (CollectiveType type : {gather, scatter})
    for (std::int64_t bytes : {std::int64_t{6}, std::int64_t{1'000'002}, std::int64_t{40'000'006}}) {
      GpuBed bed({.gpus = 8, .nvls_efficiency = 0.8});
      Op op = in_switch(type, bed.group("tp", 4), bytes);
      op.element_bytes = 2;
      bed.run_all({op});
      bed.run();
      CHECK(bed.bed.waits().empty());
      std::int64_t received = 0;
      for (std::uint32_t gpu = 0; gpu < 8; ++gpu) {
        received += bed.received_bytes(gpu);
        CHECK(bed.end_of(gpu, 0) >= bed.nccl.nvls);
      }
      CHECK(received == 2 * bytes * (type == gather ? 4 : 1));
      CHECK(bed.sent_bytes() == 2 * bytes * (type == gather ? 1 : 4));
    }
}

TEST_CASE("sums of a reduce-scatter come out of the NVSwitch slice by slice, not all at the end") {
  GpuBed bed({.gpus = 4, .nvls_efficiency = 0.8});
  bed.run_all({in_switch(scatter, bed.group("tp", 4), 128 << 20)});
  bed.run();
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    const SimTime half = bed.nccl.nvls + (bed.end_of(gpu, 0) - bed.nccl.nvls) / 2;
    std::int64_t all = 0, early = 0;
    for (const Row& row : bed.bed.rows(tables::messages)) {
      if (row.values[1] != gpu) continue;
      ++all;
      early += SimTime{row.values[5]} <= half;
    }
    REQUIRE(all >= 16);
    CHECK(std::abs(all - 2 * early) <= 2);
  }
}

TEST_CASE("saving and loading in the middle of parts in the NVSwitch changes nothing") {
  auto ends = [](SimTime save_at) {
    GpuBed bed({.gpus = 8, .nvls_efficiency = 0.8});
    const GroupKindId tp = bed.group("tp", 4);
    bed.run_all({in_switch(gather, tp, 5 << 20), in_switch(scatter, tp, 7 << 20)});
    bed.run(save_at);
    std::vector<std::int64_t> all{bed.bed.end().count(), bed.bed.events()};
    for (std::uint32_t gpu = 0; gpu < 8; ++gpu)
      for (std::uint32_t op = 0; op < 2; ++op) all.push_back(bed.end_of(gpu, op).count());
    return all;
  };
  const auto straight = ends(time_never);
  for (std::int64_t at : {1, 30, 45, 60, 90, 110}) CHECK(ends(microseconds(at)) == straight);
}

TEST_CASE("what the NVSwitch sums and multicasts is no traffic between two endpoints, a folded ring's is") {
  const std::int64_t bytes = 1 << 20;
  auto matrix = [](GpuBed& bed, std::vector<Op> ops) {
    bed.run_all(std::move(ops));
    bed.run();
    std::int64_t sum = 0;
    for (const Row& row : bed.bed.rows(tables::traffic_matrix)) sum += row.values[2];
    return sum;
  };
  GpuBed bed({.gpus = 4, .nvls_efficiency = 0.8});
  bed.nccl.fold_rings = true;
  const GroupKindId tp = bed.group("tp", 4);
  Op ring = collective(CollectiveType::all_reduce, tp, bytes);
  ring.algorithm = algorithm_named("ring");
  CHECK(matrix(bed, {in_switch(gather, tp, bytes), in_switch(scatter, tp, bytes),
                     in_switch(CollectiveType::all_reduce, tp, bytes), ring}) == 2 * 3 * bytes);
  // An all-gather sends every part once, a reduce-scatter and an all-reduce all; this one a part once more.
  CHECK(bed.sent_bytes() == (1 + 4 + (4 + 1) + 2 * 3) * bytes);

  GpuBed wide({.servers = 2, .gpus = 4, .nics = 4, .nvls_efficiency = 0.8});
  Op tree = in_switch(CollectiveType::all_reduce, wide.group("world", 8), bytes);
  tree.algorithm = algorithm_named("nvls-tree");
  CHECK(matrix(wide, {tree}) == 2 * bytes);  // over the rails, up and down
}

TEST_CASE("parts in the NVSwitch are refused over servers and where it does not reduce") {
  for (CollectiveType type : {gather, scatter}) {
    GpuBed wide({.servers = 2, .gpus = 4, .nics = 4, .nvls_efficiency = 0.8});
    wide.run_all({in_switch(type, wide.group("world", 8), 1 << 20)});
    REQUIRE(wide.mistakes().size() == 1);
    CHECK_THAT(wide.mistakes()[0],
               Catch::Contains("algorithm 'nvls' is for one server in all-gather and reduce-scatter"));
    GpuBed without({.gpus = 4});
    without.run_all({in_switch(type, without.group("tp", 4), 1 << 20)});
    REQUIRE(without.mistakes().size() == 1);
    CHECK_THAT(without.mistakes()[0], Catch::Contains("needs GPUs behind NVSwitches that reduce"));
  }
}

}  // namespace lightrail::test
