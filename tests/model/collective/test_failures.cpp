#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

#include "tests/model/collective/gpu_bed.hpp"
#include "tests/support/algorithm_named.hpp"

namespace lightrail::test {
namespace {

using Catch::Matchers::Contains;

Program program_of(std::vector<Op> ops, const std::string& role = "role") {
  Program program;
  program.role = role;
  program.streams = {"s"};
  program.ops = std::move(ops);
  return program;
}

}  // namespace

TEST_CASE("a send that no one can answer is reported with who waits for whom") {
  // Both first send more than the eager limit: each waits for the other to receive.
  GpuBed bed({.gpus = 2});
  GroupKindId pp = bed.group("pp", 2);
  bed.run_all({point(OpKind::send, pp, 1, 64 << 20), point(OpKind::recv, pp, 1, 64 << 20)});
  bed.run();
  REQUIRE(bed.bed.waits().size() == 2);
  CHECK_THAT(bed.bed.waits()[0], Contains("op 0 'op' (pp) waits until gpu"));
  CHECK_THAT(bed.bed.waits()[0], Contains("is ready to receive"));
}

TEST_CASE("collectives on two communicators in crossed order end as a deadlock that names both") {
  // GPU 0 runs a then b, GPU 1 b then a, on one stream.
  GpuBed bed({.gpus = 2});
  GroupKindId a = bed.group("a", 2), b = bed.group("b", 2);
  Op on_a = collective(CollectiveType::all_reduce, a, 1 << 20),
     on_b = collective(CollectiveType::all_reduce, b, 1 << 20);
  bed.run_on({0}, program_of({on_a, on_b}));
  bed.run_on({1}, program_of({on_b, on_a}));
  bed.run();
  REQUIRE(bed.bed.waits().size() == 2);
  CHECK_THAT(bed.bed.waits()[0], Contains("op 0 'op' (a) waits for data from gpu"));
  CHECK_THAT(bed.bed.waits()[1], Contains("op 0 'op' (b) waits for data from gpu"));
}

TEST_CASE("of a folded ring that is stuck the NVSwitch names who has not come") {
  GpuBed bed({.gpus = 3});
  bed.nccl.fold_rings = true;
  GroupKindId all = bed.group("all", 3), pair = bed.listed_group("pair", {{1, 2}});
  Op reduce = collective(CollectiveType::all_reduce, all, 3 << 20);
  // GPU 1 waits for what GPU 2 sends after the all-reduce.
  bed.run_on({0}, program_of({reduce}, "0"));
  bed.run_on({1}, program_of({point(OpKind::recv, pair, 1, 8), reduce}, "1"));
  bed.run_on({2}, program_of({reduce, point(OpKind::send, pair, -1, 8)}, "2"));
  bed.run();
  std::string text;
  for (const std::string& wait : bed.bed.waits()) text += wait + "; ";
  CHECK_THAT(text, Contains("op 0 'op' (all) waits for the other members of its group"));
  CHECK_THAT(text, Contains("op 0 'op' (pair) waits for data from gpu2"));
  CHECK_THAT(text, Contains("B wait for what gpu1 has not sent"));
}

TEST_CASE("operations behind what is stuck are named when nothing else waits") {
  // GPU 0 never comes to its half of the barrier: it waits for a receive that its own later send would
  // answer.
  GpuBed bed({.gpus = 2});
  GroupKindId pp = bed.group("pp", 2), alone = bed.group("alone", 1);
  Program p = program_of({point(OpKind::recv, alone, 0, 8), point(OpKind::send, alone, 0, 8)});
  bed.run_on({0}, p);
  Program q = program_of({point(OpKind::recv, alone, 0, 8), collective(CollectiveType::barrier, pp, 0),
                          point(OpKind::send, alone, 0, 8)});
  q.streams = {"s", "t"};
  bed.run_on({1}, q);
  bed.set.programs[1].ops.push_back(collective(CollectiveType::barrier, pp, 0));
  bed.run();
  REQUIRE(bed.bed.waits().size() == 2);
  CHECK(bed.bed.waits()[0] == "gpu0: op 0 'op' (alone) waits for data from gpu0, since 0 ps");
  CHECK(bed.bed.waits()[1] == "gpu1: op 0 'op' (alone) waits for data from gpu1, since 0 ps");
}

TEST_CASE("a barrier and an all-to-all say whom they wait for") {
  GpuBed bed({.gpus = 2});
  GroupKindId a = bed.group("a", 2), b = bed.group("b", 2);
  Op barrier = collective(CollectiveType::barrier, a, 0),
     pairs = collective(CollectiveType::all_to_all, b, 64 << 20);
  bed.run_on({0}, program_of({barrier, pairs}));
  bed.run_on({1}, program_of({pairs, barrier}));
  bed.run();
  REQUIRE(bed.bed.waits().size() == 2);
  CHECK(bed.bed.waits()[0] == "gpu0: op 0 'op' (a) waits for gpu1, since 0 ps");
  CHECK(bed.bed.waits()[1] == "gpu1: op 0 'op' (b) waits for data from gpu0, since 0 ps");
}

TEST_CASE("members that disagree on a collective are named with both sizes") {
  GpuBed bed({.gpus = 2});
  GroupKindId tp = bed.group("tp", 2);
  bed.run_on({0}, program_of({collective(CollectiveType::all_reduce, tp, 1'000)}));
  bed.run_on({1}, program_of({collective(CollectiveType::all_reduce, tp, 2'000)}));
  REQUIRE(bed.mistakes().size() == 1);
  CHECK(bed.mistakes()[0] ==
        "group 'tp' disagrees on its collective 0: gpu 0 op 0 runs all_reduce of 1000 B, protocol simple, "
        "gpu 1 "
        "op 0 runs "
        "all_reduce of 2000 B, protocol simple");
}

TEST_CASE("a GPU without NIC cannot reach another server") {
  GpuBed bed({.servers = 2, .gpus = 1, .nics = 0, .has_nvswitch = false});
  GroupKindId pp = bed.group("pp", 2);
  bed.run_all({collective(CollectiveType::all_reduce, pp, 1'000)});
  CHECK_THAT(bed.error_of_run(), Contains("cannot be reached: this GPU has no NIC"));
}

TEST_CASE("a program that needs more memory than the GPU has is refused with both numbers") {
  GpuBed bed({.gpus = 1});
  Program program = program_of({}, "stage 3");
  program.memory_bytes = 90'000'000'000;
  bed.run_on({0}, program);
  CHECK_THAT(bed.error_of_run(), Contains("program 'stage 3' needs 90 GB of GPU memory, gpu"));
  CHECK_THAT(bed.error_of_run(), Contains("has 80 GB"));
}

TEST_CASE("a kernel that the GPU has no parameters for is named") {
  GpuBed bed({.gpus = 1});
  Op op;
  op.kind = OpKind::compute;
  bed.set.shapes = {KernelShape{}};
  bed.run_on({0}, program_of({op}));
  CHECK_THAT(bed.error_of_run(),
             Contains("op 0 'op' of program 'role': the GPU that runs it has no <gemm dtype=\"bf16\">"));
}

TEST_CASE("what the system lacks is named before the run") {
  GpuBed bed({.gpus = 1});
  GroupKindId alone = bed.group("alone", 1);
  Op tree = collective(CollectiveType::all_gather, alone, 8);
  tree.algorithm = algorithm_named("tree");
  Op read;
  read.kind = OpKind::storage_read;
  read.bytes = 1;
  Op copy = read;
  copy.kind = OpKind::host_copy;
  Op odd_copy = copy;
  odd_copy.peer = 2;
  Op unknown = tree;
  unknown.algorithm = static_cast<Algorithm>(200);  // as a trace file may have it
  bed.run_all({tree, read, copy, odd_copy, unknown});
  auto mistakes = bed.mistakes();
  REQUIRE(mistakes.size() == 5);
  // Those of the registry, in its order: what is added later stands behind.
  CHECK_THAT(mistakes[0],
             Contains("algorithm 'tree' is not simulated for this collective (one of auto, ring, "
                      "nvls, pat, full-mesh"));
  CHECK_THAT(mistakes[1], Contains("storage server 0 does not exist (there are 0)"));
  CHECK_THAT(mistakes[2], Contains("host copy direction 2 (0: to the host, 1: to the GPU)"));
  CHECK_THAT(mistakes[3],
             Contains("algorithm 'number 200' is not simulated for this collective (one of auto"));
  CHECK_THAT(mistakes[4], Contains("program 'all' of gpu 0 copies to its host, but its server has none"));
}

}  // namespace lightrail::test
