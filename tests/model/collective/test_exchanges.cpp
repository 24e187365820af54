#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "network/transport/tables.hpp"
#include "tests/model/collective/gpu_bed.hpp"
#include "tests/support/algorithm_named.hpp"
#include "workloads/collective/expert_routes.hpp"
#include "workloads/collective/ring.hpp"
#include "workloads/program/expert_counts.hpp"

namespace lightrail::test {
namespace {

Op by(Algorithm algorithm, CollectiveType type, GroupKindId group, std::int64_t bytes) {
  Op op = collective(type, group, bytes, Protocol::simple);
  op.algorithm = algorithm;
  return op;
}

/// One message of an all-to-all: the line, the path, the receiver's software.
SimTime near(const NcclSettings& nccl, std::int64_t bytes) {
  return line(bytes, nvlink_ps) + nvlink_path + nccl.point_software(Protocol::simple, Medium::nvlink);
}
SimTime far(const NcclSettings& nccl, std::int64_t bytes) {
  return nccl.net_overhead + net_path + line(bytes, net_ps) +
         nccl.point_software(Protocol::simple, Medium::net);
}

constexpr std::int64_t block = 60'000;  ///< one slice, one train

}  // namespace

TEST_CASE("a full mesh of two exchanges whole buffers, of n sends n (n - 1) of them") {
  GpuBed two({.gpus = 2});
  two.run_all({by(algorithm_named("full-mesh"), CollectiveType::all_reduce, two.group("dp", 2), block)});
  two.run();
  CHECK(two.end_of(1, 0) == two.nccl.point_base(Protocol::simple) + near(two.nccl, block));
  for (std::uint32_t n : {3u, 8u}) {
    GpuBed bed({.gpus = n});
    const GroupKindId dp = bed.group("dp", n);
    using enum CollectiveType;
    bed.run_all({by(algorithm_named("full-mesh"), all_reduce, dp, n * block),
                 by(algorithm_named("full-mesh"), all_gather, dp, n * block),
                 by(algorithm_named("full-mesh"), reduce_scatter, dp, n * block),
                 by(algorithm_named("full-mesh"), broadcast, dp, n * block),
                 by(algorithm_named("full-mesh"), all_to_all, dp, n * block)});
    bed.run();
    // All-reduce n (n - 1) buffers; the others n - 1.
    CHECK(bed.sent_bytes() == (n * (n - 1) + 4 * (n - 1)) * n * block);
    CHECK(bed.bed.waits().empty());
  }
}

TEST_CASE("a pairwise all-to-all takes n - 1 messages one after the other") {
  for (std::uint32_t n : {2u, 5u, 8u}) {
    GpuBed bed({.gpus = n});
    bed.run_all({by(algorithm_named("pairwise"), CollectiveType::all_to_all, bed.group("ep", n), n * block)});
    bed.run();
    for (std::uint32_t gpu = 0; gpu < n; ++gpu)
      CHECK(bed.end_of(gpu, 0) == bed.nccl.point_base(Protocol::simple) + (n - 1) * near(bed.nccl, block));
    CHECK(bed.sent_bytes() == n * (n - 1) * block);
  }
}

TEST_CASE(
    "a hierarchical all-to-all is one hop over NVLink and one over the rail with what both local GPUs have") {
  GpuBed bed({.servers = 2, .gpus = 2, .nics = 2});
  bed.run_all(
      {by(algorithm_named("hierarchical"), CollectiveType::all_to_all, bed.group("world", 4), 4 * block)});
  bed.run();
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
    CHECK(bed.end_of(gpu, 0) ==
          bed.nccl.point_base(Protocol::simple) + near(bed.nccl, block) + far(bed.nccl, 2 * block));
    // To the neighbour its own block and the other server's; over the rail two.
    CHECK(bed.sent_bytes(gpu) == 4 * block);
  }
}

TEST_CASE("a direct all-to-all sends every member its share, in NCCL's rounds") {
  const std::vector<std::uint32_t> members{3, 0, 2, 1};
  GpuBed bed({.servers = 2, .gpus = 2, .nics = 2});
  const std::int64_t bytes = (4 << 20) + 6;  // shares of members 1 and 3 are a unit longer
  Op op = by(algorithm_named("direct"), CollectiveType::all_to_all, bed.listed_group("ep", {members}), bytes);
  op.element_bytes = 2;
  bed.run_all({op});
  bed.run();
  CHECK(bed.bed.waits().empty());
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> start;
  for (const auto& row : bed.bed.rows(tables::messages)) {
    start[{row.values[0], row.values[1]}] = row.values[4];
    const auto to = std::find(members.begin(), members.end(), row.values[1]) - members.begin();
    CHECK(row.values[3] == part_bytes(bytes, 2, 4, static_cast<std::uint32_t>(to)));
  }
  CHECK(start.size() == 16);  // with the own ones
  // To the other server: first to the GPU in one's own place.
  CHECK(start.at({0, 2}) < start.at({0, 3}));
  CHECK(start.at({1, 3}) < start.at({1, 2}));
  CHECK(start.at({2, 0}) < start.at({2, 1}));
  CHECK(start.at({3, 1}) < start.at({3, 0}));
}

TEST_CASE("a hierarchical all-to-all moves every share, also in many slices and of odd sizes") {
  for (std::uint32_t servers : {1u, 2u, 3u, 5u}) {
    GpuBed bed({.servers = servers, .gpus = 4, .nics = 4});
    const std::uint32_t n = 4 * servers;
    const std::int64_t bytes = std::int64_t{n} * 1'000'003;
    Op op = by(algorithm_named("hierarchical"), CollectiveType::all_to_all, bed.group("world", n), bytes);
    op.element_bytes = 1;
    bed.run_all({op});
    bed.run();
    CHECK(bed.bed.waits().empty());
    // Over NVLink (3 / 4) of all, over the rails (servers - 1) / servers of all.
    CHECK(bed.sent_bytes() == n * (bytes / 4 * 3 + bytes / servers * (servers - 1)));
  }
}

TEST_CASE("aggregated trees over four servers: a round of one block and one of two") {
  for (CollectiveType type : {CollectiveType::all_gather, CollectiveType::reduce_scatter}) {
    GpuBed bed({.servers = 4, .gpus = 1, .nics = 1});
    bed.nccl.has_pat = true;
    bed.run_all({by(algorithm_named("pat"), type, bed.group("dp", 4), 4 * block)});
    bed.run();
    const SimTime hop = bed.nccl.net_overhead + net_path + bed.nccl.pat_software(Medium::net);
    for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
      CHECK(bed.end_of(gpu, 0) ==
            bed.nccl.pat_base + 2 * hop + line(block, net_ps) + line(2 * block, net_ps));
      CHECK(bed.sent_bytes(gpu) == 3 * block);
    }
  }
}

TEST_CASE("aggregated trees end everywhere and send n - 1 blocks a member for any n") {
  for (CollectiveType type : {CollectiveType::all_gather, CollectiveType::reduce_scatter})
    for (std::uint32_t n : {2u, 3u, 5u, 6u, 7u, 8u, 13u}) {
      GpuBed bed({.servers = n, .gpus = 1, .nics = 1});
      bed.nccl.has_pat = true;
      bed.run_all({by(algorithm_named("pat"), type, bed.group("dp", n), n * block)});
      bed.run();
      CHECK(bed.bed.waits().empty());
      for (std::uint32_t gpu = 0; gpu < n; ++gpu) CHECK(bed.sent_bytes(gpu) == (n - 1) * block);
    }
}

TEST_CASE("a low-latency dispatch between two servers is one message past the proxy thread") {
  GpuBed bed({.servers = 2, .gpus = 1, .nics = 1});
  bed.run_all(
      {by(algorithm_named("deepep-low-latency"), CollectiveType::all_to_all, bed.group("ep", 2), 2 * block)});
  bed.run();
  const std::int64_t wire = bed.nccl.deepep_wire_bytes(Medium::net, BitRate{}, block);
  CHECK(bed.end_of(0, 0) == bed.nccl.deepep_start + net_path + line(wire, net_ps));
  CHECK(bed.sent_bytes() == 2 * block);
}

TEST_CASE("low latency in one server has a start and a share of NVLink of its own") {
  GpuBed bed({.servers = 1, .gpus = 2, .nics = 0});
  bed.run_all(
      {by(algorithm_named("deepep-low-latency"), CollectiveType::all_to_all, bed.group("ep", 2), 2 * block)});
  bed.run();
  const std::int64_t wire = bed.nccl.deepep_low_latency_wire_bytes(Medium::nvlink, true, block);
  CHECK(static_cast<double>(wire) ==
        Approx(static_cast<double>(block) / bed.nccl.deepep_low_latency_nvlink_efficiency).margin(1));
  CHECK(bed.end_of(0, 0) == bed.nccl.deepep_low_latency_nvlink + nvlink_path + line(wire, nvlink_ps));
}

TEST_CASE("a dispatch with few multiprocessors moves over NVLink what these move") {
  // 4 of them at an eighth of NVLink each: half of it; 16 would fill it twice, so what DeepEP reaches counts.
  NcclSettings nccl;
  const BitRate nvlink{800'000'000'000};
  nccl.deepep_sm_rate = BitRate{nvlink.value / 8};
  nccl.deepep_nvlink_efficiency = 0.8;
  nccl.deepep_sms = 4;
  CHECK(nccl.deepep_wire_bytes(Medium::nvlink, nvlink, 1000) == 2000);
  CHECK(nccl.deepep_wire_bytes(Medium::net, nvlink, 920) == 1000);
  nccl.deepep_sms = 16;
  CHECK(nccl.deepep_wire_bytes(Medium::nvlink, nvlink, 1000) == 1250);
  nccl.deepep_sms = 0;
  CHECK(nccl.deepep_wire_bytes(Medium::nvlink, nvlink, 1000) == 1250);
}

TEST_CASE(
    "a dispatch sends a token once to a server and once to a GPU, however many of its experts are there") {
  // One expert a token: no copies coincide, so the bytes are those of a hierarchical all-to-all.
  GpuBed single({.servers = 2, .gpus = 2, .nics = 2});
  single.nccl.deepep_experts = 1;
  single.run_all(
      {by(algorithm_named("deepep"), CollectiveType::all_to_all, single.group("ep", 4), 4 * block)});
  single.run();
  // Over the rail half of all (2 blocks); over NVLink the neighbour's blocks of both servers' GPUs of this
  // place.
  for (std::uint32_t gpu = 0; gpu < 4; ++gpu) CHECK(single.sent_bytes(gpu) == 4 * block);

  // Eight experts, no limit of groups: a token reaches a server with 1 - (1/2)^8, a GPU with 1 - (3/4)^8.
  GpuBed bed({.servers = 2, .gpus = 2, .nics = 2});
  bed.run_all({by(algorithm_named("deepep"), CollectiveType::all_to_all, bed.group("ep", 4), 64 * block)});
  bed.run();
  const double tokens = 64 * block / 8.0, gpu_reach = 1 - 6561.0 / 65536;
  CHECK(static_cast<double>(bed.sent_bytes(0)) ==
        Approx(tokens * (1 - 1 / 256.0 + 2 * gpu_reach)).epsilon(1e-6));
  CHECK(bed.bed.waits().empty());
}

TEST_CASE("a dispatch within one server, which passes nothing on, is not cut into slices") {
  const auto end = [](std::int64_t slice, std::uint32_t servers) {
    GpuBed bed({.servers = servers, .gpus = 4 / servers, .nics = 4 / servers});
    bed.nccl.point_chunk_net = Bytes{slice};
    bed.run_all({by(algorithm_named("deepep"), CollectiveType::all_to_all, bed.group("ep", 4), 64 * block)});
    bed.run();
    return bed.end_of(0, 0);
  };
  CHECK(end(block, 1) == end(64 * block, 1));
  CHECK(end(block, 2) != end(64 * block, 2));
}

TEST_CASE("with the experts of a token stated by the operation DeepEP sends by these, whatever <nccl> says") {
  for (std::uint32_t experts : {1u, 2u, 6u}) {
    GpuBed bed({.servers = 2, .gpus = 2, .nics = 2});
    Op op = by(algorithm_named("deepep"), CollectiveType::all_to_all, bed.group("ep", 4), 48 * block);
    op.peer = static_cast<std::int32_t>(experts);
    bed.run_all({op});
    bed.run();
    const double tokens = 48.0 * block / experts, server = 1 - std::pow(0.5, experts),
                 gpu = 1 - std::pow(0.75, experts);
    CHECK(static_cast<double>(bed.sent_bytes(0)) == Approx(tokens * (server + 2 * gpu)).epsilon(1e-6));
  }
}

TEST_CASE("a model limits the servers of a token or does not, whatever <nccl> says") {
  // One GPU a server: seven of eight servers are over the rail. Unlimited, one is missed with (7/8)^8; with
  // two servers a token, those have all of its experts but for (1/2)^8.
  for (auto [limit, reach] : {std::pair{0, 1 - std::pow(7.0 / 8, 8)}, std::pair{2, (1 - 1 / 256.0) / 4}}) {
    GpuBed bed({.servers = 8, .gpus = 1, .nics = 1});
    REQUIRE(bed.nccl.deepep_groups == 4);
    Op op = by(algorithm_named("deepep"), CollectiveType::all_to_all, bed.group("ep", 8), 64 * block);
    op.peer = ExpertCounts{8, limit}.packed();
    bed.run_all({op});
    bed.run();
    CHECK(static_cast<double>(bed.sent_bytes(0)) == Approx(64.0 * block / 8 * 7 * reach).margin(7));
  }
}

TEST_CASE("experts of a token and their servers come out of an operation as they went in") {
  for (const ExpertCounts in : {ExpertCounts{1, 0}, ExpertCounts{8, 4},
                                ExpertCounts{ExpertCounts::max_experts, ExpertCounts::max_servers}}) {
    CHECK(in.packed() > 0);
    CHECK(ExpertCounts::of(in.packed()).experts == in.experts);
    CHECK(ExpertCounts::of(in.packed()).servers == in.servers);
  }
}

TEST_CASE("a gate limited to four of eight servers reaches at most four of them") {
  const ExpertRoutes routes{8, 4};
  CHECK(8 * routes.reach(1.0 / 8, 8) == Approx(4 * (1 - 6561.0 / 65536)));  // (3/4)^8 of a chosen one missed
  CHECK(ExpertRoutes{1, 4}.reach(0.125, 8) == Approx(0.125));
}

TEST_CASE("what waits in an exchange names its round") {
  GpuBed bed({.gpus = 2});
  const GroupKindId ep = bed.group("ep", 2), pp = bed.group("pp", 2);
  const Op exchange = by(algorithm_named("pairwise"), CollectiveType::all_to_all, ep, 2 * block);
  Program late, early;
  late.role = "late", early.role = "early";
  late.streams = early.streams = {"nccl"};
  late.ops = {point(OpKind::recv, pp, 1, 100), exchange};
  early.ops = {exchange, point(OpKind::send, pp, 1, 100)};
  bed.run_on({0}, late);
  bed.run_on({1}, early);
  bed.run();
  std::string all;
  for (const std::string& wait : bed.bed.waits()) all += wait + "; ";
  CHECK_THAT(all, Catch::Contains("waits for 1 of 1 messages of round 1, from gpu0"));
}

TEST_CASE("an exchange that is saved in the middle ends as one that is not") {
  for (Algorithm algorithm :
       {algorithm_named("pairwise"), algorithm_named("hierarchical"), algorithm_named("deepep")}) {
    auto end = [&](SimTime save_at) {
      GpuBed bed({.servers = 2, .gpus = 2, .nics = 2});
      bed.run_all({by(algorithm, CollectiveType::all_to_all, bed.group("ep", 4), 400 * block)});
      bed.run(save_at);
      return bed.end_of(3, 0);
    };
    CHECK(end(microseconds(100)) == end(time_never));
  }
}

TEST_CASE("algorithms that a group cannot run are refused with the reason") {
  GpuBed bed({.servers = 2, .gpus = 2, .nics = 2});
  bed.nccl.has_pat = true;
  bed.run_all({by(algorithm_named("pat"), CollectiveType::all_gather, bed.group("world", 4), 4 * block)});
  const auto mistakes = bed.mistakes();
  REQUIRE(mistakes.size() == 1);
  CHECK(mistakes[0].find("algorithm 'pat' needs one GPU of each server") != std::string::npos);
}

TEST_CASE("parallel aggregated trees are refused with a version of NCCL that has none") {
  GpuBed bed({.servers = 4, .gpus = 1, .nics = 1});
  bed.run_all({by(algorithm_named("pat"), CollectiveType::all_gather, bed.group("dp", 4), 4 * block)});
  const auto mistakes = bed.mistakes();
  REQUIRE(mistakes.size() == 1);
  CHECK(mistakes[0].find("algorithm 'pat' is not in this version of NCCL") != std::string::npos);
}

}  // namespace lightrail::test
