#include "workloads/collective/cost_model.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>

#include "tests/support/algorithm_named.hpp"
#include "workloads/collective/relay_slices.hpp"
#include "workloads/collective/tree_correction.hpp"

namespace lightrail {
namespace {

/// `servers` servers of `gpus` GPUs at `link` GB/s of NVLink and a rail of `rail` GB/s each.
GroupPlan make_plan(std::uint32_t servers, std::uint32_t gpus, double link, double rail, double nvls) {
  static const NcclSettings nccl;
  GroupPlan plan;
  plan.nccl = &nccl;
  for (std::uint32_t i = 0; i < servers * gpus; ++i) plan.members.push_back(EndpointId{i});
  for (std::uint32_t s = 0; s <= servers; ++s) plan.server_first.push_back(s * gpus);
  plan.channels = servers == 1 ? 1 : gpus;
  plan.local_rate = BitRate{static_cast<std::int64_t>(link * 8e9)};
  plan.net_rate = BitRate{static_cast<std::int64_t>(rail * 8e9)};
  plan.nvls_efficiency = nvls;
  plan.spans_hosts = gpus > 8;
  return plan;
}

Choice pick(const GroupPlan& plan, std::int64_t bytes, CollectiveType type = CollectiveType::all_reduce) {
  Op op;
  op.kind = OpKind::collective;
  op.collective = type;
  op.bytes = bytes;
  return choose(algorithms_of_tree(), NcclSettings{}, plan, op);
}

/// Estimate of algorithm `name` [s].
double estimate(const NcclSettings& settings, const GroupPlan& plan, CollectiveType type,
                const std::string& name, Protocol protocol, std::int64_t bytes) {
  Op op;
  op.kind = OpKind::collective;
  op.collective = type;
  op.bytes = bytes;
  return algorithms_of_tree()[algorithm_named(name)].cost(settings, plan, op, protocol).value();
}

}  // namespace

TEST_CASE("the cost model gives NCCL's numbers and picks by them") {
  // 8 GPUs at 240 GB/s, all-reduce: 14 steps.
  NcclSettings s;
  GroupPlan plan;
  for (std::uint32_t i = 0; i < 8; ++i) plan.members.push_back(EndpointId{i});
  plan.server_first = {0, 8};
  plan.local_rate = BitRate{240'000'000'000 * 8};
  auto us = [&](Protocol p, std::int64_t bytes) {
    return estimate(s, plan, CollectiveType::all_reduce, "ring", p, bytes) * 1e6;
  };
  CHECK(us(Protocol::simple, 64 << 20) == Approx(8.4 + 14 * 3.4 + (64 << 20) * 1.75 / 240e3));
  CHECK(us(Protocol::ll, 8) == Approx(6.6 + 14 * 0.6).epsilon(1e-3));
  CHECK(us(Protocol::ll, 64 << 20) == Approx(6.6 + 14 * 0.6 + (64 << 20) * 1.75 / 120e3));
  Op op;
  op.kind = OpKind::collective;
  op.collective = CollectiveType::all_reduce;
  auto pick = [&](std::int64_t bytes) {
    op.bytes = bytes;
    return choose(algorithms_of_tree(), s, plan, op).protocol;
  };
  CHECK(pick(1'024) == Protocol::ll);
  CHECK(pick(4 << 20) == Protocol::ll128);
  CHECK(pick(1 << 30) == Protocol::simple);
  s.ll128 = false;
  CHECK(pick(4 << 20) == Protocol::ll);
  op.protocol = Protocol::ll128;  // by name it runs all the same
  CHECK(pick(4 << 20) == Protocol::ll128);
  op.protocol = Protocol::ll;
  CHECK(pick(1 << 30) == Protocol::ll);
}

TEST_CASE("over servers NCCL counts network hops twice a server and rates by the rails") {
  NcclSettings s;
  GroupPlan plan;
  for (std::uint32_t i = 0; i < 16; ++i) plan.members.push_back(EndpointId{i});
  plan.server_first = {0, 8, 16};
  plan.channels = 8;
  plan.local_rate = BitRate{370'000'000'000 * 8};
  plan.net_rate = BitRate{50'000'000'000 * 8};
  // 30 steps, 4 of them over the network; 370 GB/s of NVLink are less than 400 GB/s of rails.
  CHECK(estimate(s, plan, CollectiveType::all_reduce, "ring", Protocol::simple, 1 << 30) * 1e6 ==
        Approx(1.4 * (8.4 + 26 * 3.4 + 4 * 14.0) + (1 << 30) * 30.0 / 16 / 370e3));
  // Below 64 B a member and channel (16 channels) without the plateau; a step takes at least the posts.
  auto us = [&](CollectiveType type, Protocol protocol, std::int64_t bytes) {
    return estimate(s, plan, type, "ring", protocol, bytes) * 1e6;
  };
  CHECK(us(CollectiveType::all_reduce, Protocol::simple, 64 * 16 * 16 - 1) ==
        Approx(8.4 + 26 * 3.4 + 4 * 14.0).epsilon(1e-3));
  CHECK(us(CollectiveType::all_reduce, Protocol::ll, 8) == Approx(6.6 + 26 * 1.0 + 4 * 2.7).epsilon(1e-3));
  CHECK(us(CollectiveType::all_gather, Protocol::ll, 8) == Approx(6.6 + 14 * 1.0 + 1 * 2.7).epsilon(1e-3));
}

TEST_CASE("trees count with NCCL's factors by size, and with half of what links and LL allow") {
  NcclSettings s;
  GroupPlan plan = make_plan(2, 8, 370, 50, 0);
  auto us = [&](Protocol p, std::int64_t bytes) {
    return estimate(s, plan, CollectiveType::all_reduce, "tree", p, bytes) * 1e6;
  };
  const double rate = 370e3 * 0.92;
  CHECK(us(Protocol::ll, 1 << 20) == Approx(6.8 + 2 * (7 * 0.6 + 5) + (1 << 20) / (rate / 3.8 / 2 * 0.5)));
  CHECK(us(Protocol::ll128, 4 << 20) ==
        Approx(14 + 2 * (7 * 1.25 + 8.5) + (4 << 20) / (rate * 120 / 128 / 2 * 0.8)));
  CHECK(us(Protocol::simple, 16 << 20) == Approx(2 * (7 * 28 + 28) + (16 << 20) / (rate / 2 * 0.7)));
  CHECK(us(Protocol::simple, 1 << 30) == Approx(2 * (7 * 28 + 28) + (1 << 30) / (rate / 2)));
  plan.device.emplace();
  plan.device->ll_max_rate_2 = BitRate{22'500'000'000 * 8};
  CHECK(us(Protocol::ll, 1 << 20) == Approx(6.8 + 2 * (7 * 0.6 + 5) + (1 << 20) / (22.5e3 / 2 * 0.5)));
  const GroupPlan one = make_plan(1, 8, 370, 0, 0);
  CHECK(estimate(s, one, CollectiveType::all_reduce, "tree", Protocol::ll128, 4 << 20) * 1e6 ==
        Approx(14 + 2 * 7 * 1.25 + (4 << 20) / (rate * 7 / 9 / 2 * 0.8)));
}

TEST_CASE("the factors of trees are looked up by the power of two below, from 64 B to under 512 MiB") {
  CHECK(tree_correction_of(Protocol::ll, 0) == 1);
  CHECK(tree_correction_of(Protocol::simple, 63) == 1);
  CHECK(tree_correction_of(Protocol::simple, 64) == .9);
  CHECK(tree_correction_of(Protocol::ll, (1 << 19) - 1) == .4);
  CHECK(tree_correction_of(Protocol::ll, 1 << 18) == .4);
  CHECK(tree_correction_of(Protocol::ll, 1 << 17) == .5);
  CHECK(tree_correction_of(Protocol::ll128, 1 << 22) == .8);
  CHECK(tree_correction_of(Protocol::simple, (std::int64_t{1} << 29) - 1) == .9);
  CHECK(tree_correction_of(Protocol::simple, std::int64_t{1} << 29) == 1);
}

TEST_CASE("what an adapter's plugin reports and allows counts in the choice") {
  GroupPlan plan = make_plan(2, 8, 450, 50, 0.83);
  CHECK(pick(plan, 8 << 20).algorithm == algorithm_named("nvls-tree"));
  plan.plugin.latency = microseconds(75);  // twice more for Simple than for LL128
  CHECK(pick(plan, 8 << 20).algorithm == algorithm_named("tree"));
  CHECK(pick(plan, 8 << 20).protocol == Protocol::ll128);
  CHECK(pick(plan, 1 << 30).algorithm == algorithm_named("nvls-tree"));
  NcclSettings s;
  const double us = 1e6 * (estimate(s, plan, CollectiveType::all_reduce, "ring", Protocol::ll, 8) -
                           estimate(s, make_plan(2, 8, 450, 50, 0.83), CollectiveType::all_reduce, "ring",
                                    Protocol::ll, 8));
  CHECK(us == Approx(4 * 75));
  plan = make_plan(2, 8, 300, 12.5, 0);
  CHECK(pick(plan, 8).protocol == Protocol::ll);
  plan.plugin.is_simple_only = true;
  CHECK(pick(plan, 8).protocol == Protocol::simple);
  CHECK(pick(plan, 8).algorithm == algorithm_named("ring"));
  CHECK(pick(plan, 1 << 30).algorithm == algorithm_named("tree"));
}

TEST_CASE("LL128 on a tree over servers is counted with its architecture's limit") {
  GroupPlan plan = make_plan(32, 8, 450, 50, 0.83);
  plan.device.emplace();
  plan.device->ll_max_rate_4 = BitRate{20'400'000'000 * 8};
  plan.device->ll128_max_rate = BitRate{587'000'000'000 * 8};
  auto us = [&](std::int64_t bytes) {
    return 1e6 * estimate(NcclSettings{}, plan, CollectiveType::all_reduce, "tree", Protocol::ll128, bytes);
  };
  // base and 2 (7 hops over NVLink + 5 over the network); 400 GB/s of rails both ways x 0.92 x 120/128, half
  // of it, x 0.9 at 16 MiB.
  const double latency = 14 + 2 * (7 * 1.25 + 5 * 8.5);
  CHECK(us(16 << 20) == Approx(latency + 16 * 1.048576e6 / (400e3 * 0.92 * 0.9375 * 0.5 * 0.9)));
  CHECK(pick(plan, 16 << 20).algorithm == algorithm_named("tree"));
  plan.device->ll128_tree_rate_2 = BitRate{8};
  plan.device->ll128_tree_rate_4 = BitRate{232'000'000'000 * 8};
  CHECK(us(16 << 20) == Approx(latency + 16 * 1.048576e6 / (232e3 * 0.5 * 0.9)));
  CHECK(pick(plan, 16 << 20).algorithm == algorithm_named("nvls-tree"));
}

TEST_CASE("what rings of Simple over servers take of their constants has the plateau once") {
  NcclSettings s;
  GroupPlan plan = make_plan(2, 8, 300, 12.5, 0);
  auto scale = [&](CollectiveType type, Protocol p, std::int64_t bytes) {
    return ring_scale(s, plan, type, p, bytes);
  };
  const CollectiveType sum = CollectiveType::all_reduce;
  CHECK(scale(sum, Protocol::simple, 1 << 20) == 1.4);
  CHECK(scale(sum, Protocol::simple, 1 << 10) == 1);
  CHECK(scale(sum, Protocol::ll, 1 << 20) == 1);
  CHECK(scale(CollectiveType::all_gather, Protocol::simple, 1 << 20) == 1);
  plan.device.emplace();  // measured: in it already
  CHECK(scale(sum, Protocol::simple, 1 << 20) == 1);
  CHECK(scale(sum, Protocol::simple, 1 << 10) == Approx(1 / 1.4));
}

TEST_CASE("trees and NVLS pass on chunks as NCCL sizes them") {
  NcclSettings s;
  const GroupPlan two = make_plan(2, 8, 450, 50, 0.83), four = make_plan(4, 8, 450, 50, 0.83),
                  one = make_plan(1, 8, 450, 0, 0.83);
  CHECK(channels_of(s, two) == 16);
  CHECK(channels_of(s, one) == 24);
  CHECK(tree_slice(s, two, Protocol::ll, 16, 1 << 20) == 32 * 1024);
  CHECK(tree_slice(s, two, Protocol::simple, 16, 1 << 30) == 512 * 1024);
  CHECK(tree_slice(s, two, Protocol::simple, 4, 1 << 30) == 4 * 512 * 1024);
  CHECK(tree_slice(s, one, Protocol::simple, 1, 1 << 30) == 24 * 512 * 1024);
  // LL128: a step holds 576,000 B, halved to 144,000 while fewer than 22.4 follow one another, then to 36,000
  // while fewer than 5.6.
  CHECK(tree_slice(s, two, Protocol::ll128, 16, 1 << 30) == 576'000);
  CHECK(tree_slice(s, two, Protocol::ll128, 16, 16 << 20) == 72'000);
  CHECK(tree_slice(s, two, Protocol::ll128, 16, 1 << 20) == 18'000);
  // 16 channels of 8 heads on 16 lanes.
  CHECK(nvls_slice(s, two, 16, 64 << 20) == 8 * 128 * 1024);
  CHECK(nvls_slice(s, two, 16, (64 << 20) - 4) == 8 * 64 * 1024);
  CHECK(nvls_slice(s, two, 16, 1 << 20) == 8 * 32 * 1024);
  CHECK(nvls_slice(s, four, 16, 1 << 30) == 8 * 64 * 1024);
  CHECK(nvls_slice(s, one, 8, std::int64_t{1} << 30) == 16 * 128 * 1024);
  CHECK(nvls_slice(s, one, 8, 256 << 20) == 16 * 64 * 1024);
  CHECK(nvls_slice(s, one, 8, 32 << 20) == 16 * 32 * 1024);
  CHECK(nvls_slice(s, one, 8, 1 << 20) == 16 * 16 * 1024);
}

TEST_CASE("small collectives open fewer rails") {
  NcclSettings s;
  GroupPlan plan;
  for (std::uint32_t i = 0; i < 16; ++i) plan.members.push_back(EndpointId{i});
  plan.server_first = {0, 8, 16};
  plan.channels = 8;
  CHECK(ring_channels(s, plan, Protocol::simple, 1) == 1);
  CHECK(ring_channels(s, plan, Protocol::simple, 4 * 32'768) == 4);
  CHECK(ring_channels(s, plan, Protocol::simple, 1 << 30) == 8);
  CHECK(ring_channels(s, plan, Protocol::ll, 3 * 4'096 * 16) == 3);
}

TEST_CASE("NVLS is picked from 5 GPUs of an H200 server and from 6 of a B200 server") {
  // Ring: n / 2(n-1) of the link; NVLS: efficiency n / (n+1). H200: 0.83 > 5/6 x 0.75; B200: 0.74 < 0.75, >
  // 0.7.
  for (std::uint32_t n = 2; n <= 8; ++n) {
    const auto h200 = pick(make_plan(1, n, 370.8, 0, 0.83), std::int64_t{8} << 30).algorithm;
    const auto b200 = pick(make_plan(1, n, 721.8, 0, 0.74), std::int64_t{8} << 30).algorithm;
    CHECK(h200 == (n >= 5 ? algorithm_named("nvls") : algorithm_named("ring")));
    CHECK(b200 == (n >= 6 ? algorithm_named("nvls") : algorithm_named("ring")));
  }
}

TEST_CASE("parts in the NVSwitch: the whole buffer at its efficiency, refused where NCCL cannot") {
  NcclSettings s;
  const GroupPlan plan = make_plan(1, 8, 370.8, 0, 0.83);
  const CollectiveAlgorithm& nvls = algorithms_of_tree()[algorithm_named("nvls")];
  auto why = [&](const GroupPlan& group, CollectiveType type) {
    Op op;
    op.collective = type;
    return nvls.hindrance(group, op).value_or("");
  };
  for (CollectiveType type : {CollectiveType::all_gather, CollectiveType::reduce_scatter}) {
    CHECK(nvls.serves(type));
    CHECK(!algorithms_of_tree()[algorithm_named("nvls-tree")].serves(type));
    CHECK(estimate(s, plan, type, "nvls", Protocol::simple, 1 << 30) * 1e6 ==
          Approx(25 + (1 << 30) / (370.8e3 * 0.83)));
    Op op;
    op.kind = OpKind::collective;
    op.collective = type;
    op.bytes = 1 << 30;
    op.algorithm = algorithm_named("nvls");
    CHECK(choose(algorithms_of_tree(), s, plan, op).algorithm == algorithm_named("nvls"));
    CHECK(choose(algorithms_of_tree(), s, plan, op).protocol == Protocol::simple);
    CHECK(why(plan, type).empty());
    CHECK(why(make_plan(1, 32, 721.8, 0, 0.74), type).empty());
    CHECK(why(make_plan(1, 33, 721.8, 0, 0.74), type) ==
          "takes at most 32 GPUs for all-gather and reduce-scatter, as NCCL's does");
    CHECK(why(make_plan(1, 72, 721.8, 0, 0.74), CollectiveType::all_reduce).empty());
    CHECK(why(make_plan(2, 8, 370.8, 50, 0.83), type) ==
          "is for one server in all-gather and reduce-scatter, as NCCL's is");
    CHECK(!why(make_plan(1, 8, 370.8, 0, 0), type).empty());
  }
}

TEST_CASE("NCCL's model gathers and scatters parts on rings but where only Simple's many steps are left") {
  // 8 GPUs: NVLS starts at 25 us, rings of LL at 10.8, LL128 27.3, Simple 32.2, and the rings' links carry
  // less: 7/8 of the buffer, not all of it / 0.83.
  auto pick_of = [](std::uint32_t n, double link, double nvls, double ll_max, std::int64_t bytes,
                    Protocol wanted) {
    GroupPlan plan = make_plan(1, n, link, 0, nvls);
    plan.device.emplace();
    plan.device->ll_max_rate = BitRate{static_cast<std::int64_t>(ll_max * 8e9)};
    NcclSettings s;
    s.protocol = wanted;
    Op op;
    op.kind = OpKind::collective;
    op.collective = CollectiveType::all_gather;
    op.bytes = bytes;
    return choose(algorithms_of_tree(), s, plan, op).algorithm;
  };
  for (std::uint32_t n = 2; n <= 8; ++n)
    for (std::int64_t bytes = 8; bytes <= std::int64_t{1} << 34; bytes += bytes / 8) {
      CHECK(pick_of(n, 370.8, 0.83, 141, bytes, Protocol::auto_select) == algorithm_named("ring"));
      CHECK(pick_of(n, 721.8, 0.74, 282, bytes, Protocol::auto_select) == algorithm_named("ring"));
    }
  CHECK(pick_of(8, 370.8, 0.83, 141, 1024, Protocol::simple) == algorithm_named("nvls"));
  CHECK(pick_of(8, 370.8, 0.83, 141, 64 << 20, Protocol::simple) == algorithm_named("ring"));
  // More GPUs than one operating system has: NCCL 2.21 does not count with it, however long the ring.
  GroupPlan trays = make_plan(1, 8, 721.8, 0, 0.74);
  NcclSettings simple;
  simple.protocol = Protocol::simple;
  Op small;
  small.kind = OpKind::collective;
  small.collective = CollectiveType::reduce_scatter;
  small.bytes = 1024;
  CHECK(choose(algorithms_of_tree(), simple, trays, small).algorithm == algorithm_named("nvls"));
  trays.spans_hosts = true;
  CHECK(choose(algorithms_of_tree(), simple, trays, small).algorithm == algorithm_named("ring"));
  CHECK(pick_of(32, 721.8, 0.74, 282, 16 << 20, Protocol::auto_select) == algorithm_named("ring"));
}

// 64 servers: 8 + 6 * 14 / 3.5 + 64 * 2.8 us and 0.75 of 50 GB/s, against LL's 6.6 + 63 * 5 us and 0.5 and
// Simple's 8.4 + 63 * 28 us and 1. Four: 8 + 2 * 4 + 4 * 2.8 us against LL's 6.6 + 3 * 5 us.
TEST_CASE("PAT is picked below Simple of rings, among many servers of one GPU") {
  NcclSettings s;
  s.has_pat = true, s.ll128 = false;
  const auto picked = [&s](std::uint32_t servers, std::uint32_t gpus, std::int64_t bytes) {
    GroupPlan plan = make_plan(servers, gpus, 300, 50, 0);
    plan.nccl = &s;
    Op op;
    op.kind = OpKind::collective, op.collective = CollectiveType::all_gather, op.bytes = bytes;
    return choose(algorithms_of_tree(), s, plan, op).algorithm;
  };
  GroupPlan many = make_plan(64, 1, 300, 50, 0);
  CHECK(estimate(s, many, CollectiveType::reduce_scatter, "pat", Protocol::simple, 4 << 20) * 1e6 ==
        Approx(8 + 6 * 4 + 64 * 2.8 + (4 << 20) / 37.5e3));
  const Algorithm pat = algorithm_named("pat"), ring = algorithm_named("ring");
  CHECK(estimate(s, many, CollectiveType::all_gather, "ring", Protocol::ll, 1 << 20) * 1e6 ==
        Approx(6.6 + 63 * 5 + (1 << 20) * 63.0 / 64 / 25e3));
  CHECK(picked(64, 1, 64 << 10) == pat);
  CHECK(picked(64, 1, 4 << 20) == pat);
  CHECK(picked(64, 1, 1 << 30) == ring);
  CHECK(picked(4, 1, 64 << 10) == ring);
  CHECK(picked(8, 8, 4 << 20) == ring);  // eight GPUs a server
  s.has_pat = false;
  CHECK(picked(64, 1, 4 << 20) == ring);
  CHECK(estimate(s, many, CollectiveType::all_gather, "ring", Protocol::ll, 1 << 20) * 1e6 ==
        Approx(6.6 + 63 * 2.7 + (1 << 20) * 63.0 / 64 / 25e3));
}

TEST_CASE("all-reduces are done in the NVSwitch only where every one of the group can") {
  CHECK(pick(make_plan(1, 8, 370.8, 0, 0.83), 1 << 30, CollectiveType::all_gather).algorithm ==
        algorithm_named("ring"));
  CHECK(pick(make_plan(1, 8, 240, 0, 0), 1 << 30).algorithm == algorithm_named("ring"));
  GroupPlan uneven = make_plan(2, 4, 370.8, 50, 0.83);
  uneven.server_first = {0, 5, 8};
  CHECK(pick(uneven, 1 << 30).algorithm != algorithm_named("nvls-tree"));
}

TEST_CASE("over servers small all-reduces take the tree, large ones what carries most") {
  const GroupPlan h100 = make_plan(16, 8, 370.8, 50, 0.83), a100 = make_plan(16, 8, 240, 25, 0);
  CHECK(pick(h100, 1'024).algorithm == algorithm_named("tree"));
  CHECK(pick(h100, 1'024).protocol == Protocol::ll);
  CHECK(pick(a100, 1'024).algorithm == algorithm_named("tree"));
  CHECK(pick(a100, std::int64_t{1} << 32).algorithm == algorithm_named("ring"));
}

TEST_CASE("an algorithm of the scenario counts where the collective has it and the group can") {
  NcclSettings s;
  s.algorithm = algorithm_named("tree");
  Op op;
  op.kind = OpKind::collective;
  op.bytes = 1 << 30;
  op.collective = CollectiveType::all_reduce;
  const GroupPlan plan = make_plan(1, 8, 370.8, 0, 0.83);
  CHECK(choose(algorithms_of_tree(), s, plan, op).algorithm == algorithm_named("tree"));
  op.algorithm = algorithm_named("nvls");
  CHECK(choose(algorithms_of_tree(), s, plan, op).algorithm == algorithm_named("nvls"));
  op.algorithm = Algorithm::auto_select;
  s.algorithm = algorithm_named("nvls-tree");  // one server: cannot
  CHECK(choose(algorithms_of_tree(), s, plan, op).algorithm == algorithm_named("nvls"));
  op.collective = CollectiveType::all_gather;
  CHECK(choose(algorithms_of_tree(), s, plan, op).algorithm == algorithm_named("ring"));
}

TEST_CASE("LL and LL128 keep to the limits of the GPU kind") {
  NcclSettings s;
  GroupPlan plan = make_plan(1, 8, 240, 0, 0);
  plan.device.emplace();
  plan.device->ll_max_rate = BitRate{87'700'000'000 * 8};
  plan.device->ll128_max_rate = BitRate{100'000'000'000 * 8};
  auto us = [&](Protocol p) {
    return estimate(s, plan, CollectiveType::all_gather, "ring", p, 1 << 30) * 1e6;
  };
  CHECK(us(Protocol::ll) == Approx(6.6 + 7 * 0.6 + (1 << 30) * 0.875 / 87.7e3));
  CHECK(us(Protocol::ll128) == Approx(14 + 7 * 1.9 + (1 << 30) * 0.875 / 100e3));
}

}  // namespace lightrail
