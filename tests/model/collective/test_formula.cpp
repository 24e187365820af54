#include <catch2/catch.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "components/gpu/tables.hpp"
#include "tests/model/collective/gpu_bed.hpp"
#include "tests/support/algorithm_named.hpp"

namespace lightrail::test {
namespace {

/// What the operation that all GPUs run takes, by messages or by formula.
SimTime time_of(const ClusterShape& shape, Op op, std::uint32_t members, bool by_formula) {
  GpuBed bed(shape);
  bed.by_formula = by_formula;
  op.group = bed.group("all", members);
  bed.run_all({op});
  bed.run();
  return bed.end_of(0, 0);
}

/// The formula's time over that of the messages, less 1.
double error_of(const ClusterShape& shape, const Op& op, std::uint32_t members) {
  const auto formula = static_cast<double>(time_of(shape, op, members, true).count());
  return formula / static_cast<double>(time_of(shape, op, members, false).count()) - 1;
}

Op all_to_all(std::int64_t bytes, const char* algorithm) {
  Op op = collective(CollectiveType::all_to_all, GroupKindId{}, bytes, Protocol::auto_select);
  op.algorithm = algorithm_named(algorithm);
  return op;
}

Program one(std::vector<Op> ops) {
  Program program;
  program.streams = {"nccl"};
  program.ops = std::move(ops);
  return program;
}

}  // namespace

TEST_CASE("by formula a ring in one server takes what its messages take, and one GPU stands for all") {
  GpuBed bed({.gpus = 8});
  bed.by_formula = true;
  bed.run_all({collective(CollectiveType::all_reduce, bed.group("tp", 8), 64 << 20)});
  bed.run();
  // base + 14 (block / rate + hop): as test_ring_closed_forms.cpp has it.
  CHECK(bed.end_of(0, 0) == picoseconds(8'400'000 + 14 * (41'943'040 + 3'400'000)));
  CHECK(bed.bed.rows(tables::ops).size() == 1);
  CHECK(bed.sent_bytes(0) == 2 * 7 * (64 << 20) / 8);
}

TEST_CASE("a ring over servers is within 5 % of its messages once bytes decide") {
  const ClusterShape shape{.servers = 4, .gpus = 8, .nics = 8};
  for (const CollectiveType type :
       {CollectiveType::all_reduce, CollectiveType::all_gather, CollectiveType::reduce_scatter}) {
    INFO("type " << static_cast<int>(type));
    // NCCL's estimate adds the latency of all steps to the time of the bytes; some of it passes beside them.
    CHECK(std::abs(error_of(shape, collective(type, GroupKindId{}, 1 << 30), 32)) < 0.05);
  }
}

TEST_CASE("all-to-alls are within 5 % of their messages, in one server and over four") {
  for (const char* algorithm : {"direct", "full-mesh", "deepep", "hierarchical"}) {
    INFO(algorithm);
    CHECK(std::abs(error_of({.gpus = 8}, all_to_all(256 << 20, algorithm), 8)) < 0.05);
    CHECK(std::abs(error_of({.servers = 4, .gpus = 8, .nics = 8, .joins_rails = true},
                            all_to_all(512 << 20, algorithm), 32)) < 0.05);
  }
}

TEST_CASE("a collective ends when it would behind the last of its members") {
  auto end = [](SimTime late, bool by_formula) {
    GpuBed bed({.gpus = 8});
    bed.by_formula = by_formula;
    const Op ring = collective(CollectiveType::all_reduce, bed.group("tp", 8), 64 << 20);
    bed.run_on({3}, one({host(late), ring}));
    bed.run_on({0, 1, 2, 4, 5, 6, 7}, one({ring}));
    bed.run();
    CHECK(bed.end_of(3, 1) == bed.end_of(0, 0));
    return bed.end_of(0, 0);
  };
  const SimTime alone = end(nanoseconds(1), true);
  CHECK(end(milliseconds(1), true) - alone == milliseconds(1) - nanoseconds(1));
}

TEST_CASE("members of an uneven all-to-all end by what they send and receive, whenever they came") {
  // Half of all goes to the first member of eight, and its own half to the second.
  const auto ends = [](const ClusterShape& shape, const char* algorithm, SimTime late, std::uint32_t who,
                       bool by_formula) {
    GpuBed bed(shape);
    bed.by_formula = by_formula;
    SplitMatrix uneven{8, {}, {}};
    for (std::uint32_t from = 0; from < 8; ++from)
      for (std::uint32_t to = 0; to < 8; ++to)
        uneven.share.push_back(to == (from == 0 ? 1u : 0u) ? 0.5 : 0.5 / 7);
    bed.set.splits = {SplitMatrix{}, uneven};
    Op op = all_to_all(256 << 20, algorithm);
    op.group = bed.group("ep", 8);
    op.split = 1;
    for (std::uint32_t gpu = 0; gpu < 8; ++gpu)
      bed.run_on({gpu}, one({host(gpu == who ? late : nanoseconds(1)), op}));
    bed.run();
    std::vector<double> all;
    for (std::uint32_t gpu = 0; gpu < 8; ++gpu)
      all.push_back(static_cast<double>(bed.end_of(gpu, 1).count()));
    return all;
  };
  for (const ClusterShape& shape :
       {ClusterShape{.gpus = 8}, ClusterShape{.servers = 2, .gpus = 4, .nics = 4, .joins_rails = true}})
    for (const char* algorithm : {"direct", "full-mesh"})
      for (const std::uint32_t who : {0u, 1u, 5u})
        for (const SimTime late : {nanoseconds(1), milliseconds(3), milliseconds(20)}) {
          const std::vector<double> messages = ends(shape, algorithm, late, who, false),
                                    formula = ends(shape, algorithm, late, who, true);
          for (std::uint32_t gpu = 0; gpu < 8; ++gpu) {
            INFO(algorithm << ", " << shape.servers << " servers, gpu" << who << " comes at " << late.count()
                           << " ps; gpu" << gpu << " ends at " << messages[gpu] << ", by formula at "
                           << formula[gpu]);
            CHECK(std::abs(formula[gpu] / messages[gpu] - 1) < 0.05);
          }
        }
}

TEST_CASE("members that share a NIC share its line by formula") {
  for (const char* algorithm : {"direct", "full-mesh", "deepep"}) {
    INFO(algorithm);
    CHECK(std::abs(error_of({.servers = 2, .gpus = 4, .nics = 2, .joins_rails = true},
                            all_to_all(256 << 20, algorithm), 8)) < 0.05);
  }
}

TEST_CASE("by PXN what goes to a rail leaves by its NIC, whose GPU may be no member") {
  // The second server has one member alone, on the first rail: all send to it by their first NIC.
  const auto ends = [](std::vector<std::uint32_t> members, bool by_formula) {
    GpuBed bed({.servers = 2, .gpus = 4, .nics = 4, .joins_rails = true});
    bed.by_formula = by_formula;
    Op op = all_to_all(256 << 20, "direct");
    op.group = bed.listed_group("ep", {members});
    for (const std::uint32_t gpu : members) bed.run_on({gpu}, one({host(nanoseconds(1 + gpu)), op}));
    bed.run();
    std::vector<double> all;
    for (const std::uint32_t gpu : members) all.push_back(static_cast<double>(bed.end_of(gpu, 1).count()));
    return all;
  };
  for (const std::vector<std::uint32_t>& members :
       {std::vector<std::uint32_t>{0, 1, 2, 3, 4}, std::vector<std::uint32_t>{1, 2, 3, 4, 5},
        std::vector<std::uint32_t>{0, 2, 5, 7}}) {
    const std::vector<double> messages = ends(members, false), formula = ends(members, true);
    for (std::size_t i = 0; i < members.size(); ++i) {
      INFO("gpu" << members[i] << " of " << members.size() << " ends at " << messages[i] << ", by formula at "
                 << formula[i]);
      CHECK(std::abs(formula[i] / messages[i] - 1) < 0.05);
    }
  }
}

TEST_CASE("a skew of starts delays what is by formula, too") {
  const auto end = [](SimTime skew) {
    GpuBed bed({.gpus = 8});
    bed.by_formula = true;
    bed.nccl.start_skew = skew;
    bed.run_all({collective(CollectiveType::all_reduce, bed.group("tp", 8), 64 << 20)});
    bed.run();
    return bed.end_of(0, 0);
  };
  CHECK(end(microseconds(5)) > end(SimTime{0}));
}

TEST_CASE("the sender of a large message waits for its receiver, that of a small one does not") {
  for (const std::int64_t bytes : {std::int64_t{64} << 20, std::int64_t{64} << 10})
    for (const bool is_sender_late : {true, false}) {
      INFO(bytes << " B, late: " << (is_sender_late ? "sender" : "receiver"));
      SimTime ends[2][2];
      for (const bool by_formula : {false, true}) {
        GpuBed bed({.servers = 2, .gpus = 1, .nics = 1, .joins_rails = true});
        bed.by_formula = by_formula;
        const GroupKindId pp = bed.group("pp", 2);
        std::vector<Op> send{point(OpKind::send, pp, 1, bytes)}, receive{point(OpKind::recv, pp, 1, bytes)};
        std::vector<Op>& late = is_sender_late ? send : receive;
        late.insert(late.begin(), host(milliseconds(5)));
        bed.run_on({0}, one(send));
        bed.run_on({1}, one(receive));
        bed.run();
        ends[by_formula][0] = bed.end_of(0, is_sender_late);
        ends[by_formula][1] = bed.end_of(1, !is_sender_late);
      }
      for (const int side : {0, 1}) {
        INFO("side " << side << ": " << ends[0][side].count() << " ps, formula " << ends[1][side].count());
        // What is left out: a few cables and switches, and the clear-to-send.
        CHECK(std::abs((ends[1][side] - ends[0][side]).count()) < microseconds(8).count());
      }
    }
}

TEST_CASE("messages of a pair and lane meet in program order") {
  GpuBed bed({.servers = 2, .gpus = 1, .nics = 1, .joins_rails = true});
  bed.by_formula = true;
  const GroupKindId pp = bed.group("pp", 2);
  const Op first = point(OpKind::send, pp, 1, 1 << 20), second = point(OpKind::send, pp, 1, 4 << 20);
  Op in_first = first, in_second = second;
  in_first.kind = in_second.kind = OpKind::recv;
  bed.run_on({0}, one({first, second}));
  bed.run_on({1}, one({in_first, in_second}));
  bed.run();
  CHECK(bed.end_of(1, 0) < bed.end_of(1, 1));
  CHECK(bed.end_of(1, 1) - bed.end_of(1, 0) > line(4 << 20, net_ps));
}

TEST_CASE("collectives on two communicators in crossed order end as a deadlock by formula too") {
  GpuBed bed({.gpus = 2});
  bed.by_formula = true;
  const GroupKindId a = bed.group("a", 2), b = bed.group("b", 2);
  const Op of_a = collective(CollectiveType::all_reduce, a, 1 << 20),
           of_b = collective(CollectiveType::all_reduce, b, 1 << 20);
  bed.run_on({0}, one({of_a, of_b}));
  bed.run_on({1}, one({of_b, of_a}));
  bed.run();
  REQUIRE(bed.bed.waits().size() == 2);
  CHECK(bed.bed.waits()[0].find("waits for the other members of its group") != std::string::npos);
}

TEST_CASE("a run by formula that is saved in the middle ends as one that is not") {
  auto end = [](SimTime save_at) {
    GpuBed bed({.servers = 2, .gpus = 8, .nics = 8, .joins_rails = true});
    bed.by_formula = true;
    const GroupKindId all = bed.group("all", 16), pp = bed.group("pp", 2, 8);
    const Op reduce = collective(CollectiveType::all_reduce, all, 64 << 20);
    std::vector<std::uint32_t> first, second;
    for (std::uint32_t gpu = 0; gpu < 8; ++gpu) first.push_back(gpu), second.push_back(gpu + 8);
    bed.run_on(first, one({host(milliseconds(1)), point(OpKind::send, pp, 1, 64 << 20), reduce}));
    bed.run_on(second, one({point(OpKind::recv, pp, 1, 64 << 20), host(milliseconds(2)), reduce}));
    bed.run(save_at);
    return bed.end_of(8, 2);
  };
  const SimTime whole = end(time_never);
  for (const SimTime at : {microseconds(500), microseconds(1500), microseconds(3000)})
    CHECK(end(at) == whole);
}

}  // namespace lightrail::test
