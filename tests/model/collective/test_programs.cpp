#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

#include "components/gpu/tables.hpp"
#include "tests/model/collective/gpu_bed.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/program/program_index.hpp"

namespace lightrail::test {
TEST_CASE("streams run in order, side by side, and wait for what they depend on") {
  GpuBed bed({.gpus = 1});
  Program p;
  p.role = "r";
  p.streams = {"a", "b"};
  p.dependencies = {0};
  p.ops = {compute(microseconds(10)), compute(microseconds(5)), compute(microseconds(3), 1),
           after(compute(microseconds(4), 1), 0, 1)};
  bed.run_on({0}, p);
  bed.run();
  CHECK(bed.end_of(0, 1) == microseconds(15));
  CHECK(bed.end_of(0, 2) == microseconds(3));
  CHECK(bed.start_of(0, 3) == microseconds(10));
  CHECK(bed.end_of(0, 3) == microseconds(14));
}

TEST_CASE("iterations follow one another and each has a row that splits its time") {
  // 10 us of kernel; beside it an all-reduce that ends later; then 2 us of host time.
  GpuBed bed({.gpus = 2});
  Op reduce = collective(CollectiveType::all_reduce, bed.group("tp", 2), 2 << 20);
  reduce.stream = 1;
  Op host;
  host.kind = OpKind::host;
  host.duration = microseconds(2);
  host.stream = 2;
  Program p;
  p.role = "r";
  p.streams = {"compute", "nccl", "host"};
  p.dependencies = {1};
  p.ops = {compute(microseconds(10)), reduce, after(host, 0, 1)};
  bed.run_on({0, 1}, p);
  bed.set.iterations = 3;
  bed.run();
  const SimTime end = bed.nccl.base_simple + 2 * (line(1 << 20, nvlink_ps) + nvlink_path +
                                                  bed.nccl.software(Protocol::simple, Medium::nvlink));
  CHECK(bed.end_of(0, 1) == end);
  std::int64_t iteration = 0;
  for (const Row& row : bed.bed.rows(tables::steps)) {
    if (row.values[0] != 0) continue;
    CHECK(row.values[1] == iteration);
    CHECK(row.values[2] == iteration * (end + microseconds(2)).count());
    CHECK(row.values[3] == (iteration + 1) * (end + microseconds(2)).count());
    CHECK(row.values[4] == microseconds(10).count());
    CHECK(row.values[5] == (end - microseconds(10)).count());
    CHECK(row.values[6] == microseconds(2).count());
    ++iteration;
  }
  CHECK(iteration == 3);
}

TEST_CASE("a communicator runs its collectives one after the other in the order of the program") {
  // The second is on a free stream but has to wait for the first, which starts late.
  GpuBed bed({.gpus = 2});
  GroupKindId tp = bed.group("tp", 2), other = bed.group("other", 2);
  Op first = collective(CollectiveType::all_reduce, tp, 4096), second = first, free = first;
  second.stream = 1;
  free.stream = 2;
  free.group = other;
  Program p;
  p.role = "r";
  p.streams = {"a", "b", "c"};
  p.ops = {compute(microseconds(50)), first, second, free};
  bed.run_on({0, 1}, p);
  bed.run();
  CHECK(bed.start_of(0, 1) == microseconds(50));
  CHECK(bed.start_of(0, 2) == bed.end_of(0, 1));
  CHECK(bed.start_of(0, 3) == SimTime{0});
}

TEST_CASE("an empty program, a marker and no program end at once") {
  GpuBed bed({.gpus = 3});
  Program empty, marker;
  empty.role = "empty", marker.role = "marker";
  marker.streams = {"s"};
  marker.ops = {Op{}};
  bed.run_on({0}, empty);
  bed.run_on({1}, marker);
  bed.set.iterations = 4;
  bed.run();
  CHECK(bed.end_of(1, 0) == SimTime{0});
  CHECK(bed.bed.waits().empty());
  CHECK(bed.bed.rows(tables::steps).size() == 4);
}

TEST_CASE("collectives that <nccl algorithm> does not run are counted, with the first reason") {
  GpuBed bed({.servers = 2, .gpus = 2, .nics = 2, .joins_rails = true});
  const GroupKindId all = bed.group("all", 4), pair = bed.group("tp", 2);
  const std::vector<Op> ops{collective(CollectiveType::all_reduce, all, 1 << 20),
                            collective(CollectiveType::all_reduce, pair, 1 << 20),
                            collective(CollectiveType::all_to_all, all, 1 << 20)};
  bed.run_all(ops);
  CHECK(bed.mistakes().empty());
  CHECK(bed.bed.finish_model().remarks.empty());  // NCCL's choice is the default
  bed.nccl.algorithm = built_in_algorithms().find("tree").value();
  CHECK(bed.mistakes().empty());
  const auto& remarks = bed.bed.finish_model().remarks;
  REQUIRE(remarks.size() == 1);
  CHECK(remarks[0].about == "collectives");
  CHECK(remarks[0].text ==
        "algorithm 'tree' of <nccl> is not used for 1 of 3 collectives of the programs, which NCCL's choice "
        "runs (all-to-all: not one of its collectives)");
}

}  // namespace lightrail::test
