#include "workloads/collective/group_plan.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "workloads/collective/pair_order.hpp"

namespace lightrail {
namespace {

/// Servers of `gpus` GPUs on `nics` NICs; without links: rates are not looked at here.
Model make_model(std::uint32_t servers, std::uint32_t gpus, std::uint32_t nics,
                 std::vector<GroupKind> kinds) {
  Model model;
  auto book = std::make_shared<AddressBook>();
  for (std::uint32_t s = 0; s < servers; ++s)
    for (std::uint32_t g = 0; g < gpus; ++g) {
      const auto nic = static_cast<std::uint16_t>(g * nics / gpus);
      book->component_of.push_back(ComponentId{static_cast<std::uint32_t>(model.components.size())});
      book->endpoints.push_back({s, Lid{s * nics + nic}, static_cast<std::uint16_t>(g), nic});
      model.components.push_back({});
    }
  book->gpu_count = servers * gpus;
  auto groups = std::make_shared<GroupTable>();
  for (GroupKind& kind : kinds) groups->add(std::move(kind), book->gpu_count);
  model.add<AddressBook>(std::move(book));
  model.add<GroupTable>(std::move(groups));
  model.add(std::make_shared<const NcclSettings>());
  return model;
}

GroupKind regular(std::uint32_t count, std::uint32_t stride) {
  GroupKind kind;
  kind.name = "g";
  kind.digits = {{count, stride}};
  return kind;
}

}  // namespace

TEST_CASE("inside a server there is one ring in the order of the GPUs") {
  Model model = make_model(2, 8, 8, {regular(8, 1)});
  GroupPlans plans(model);
  const GroupPlan& plan = plans.of(GroupKindId{0}, EndpointId{11});
  CHECK(plan.channels == 1);
  CHECK(plan.servers() == 1);
  for (std::uint32_t i = 0; i < 8; ++i) {
    CHECK(plan.ring_member(0, i) == EndpointId{8 + i});
    CHECK(plan.ring_position(0, plan.index_of(EndpointId{8 + i})) == i);
  }
}

TEST_CASE("a domain of more than 8 GPUs is trays of 4, each with an operating system") {
  auto spans = [](std::uint32_t servers, std::uint32_t gpus, std::uint32_t count, std::uint32_t stride,
                  std::uint32_t gpu) {
    Model model = make_model(servers, gpus, gpus, {regular(count, stride)});
    return GroupPlans(model).of(GroupKindId{0}, EndpointId{gpu}).spans_hosts;
  };
  for (std::uint32_t gpu : {0u, 60u, 143u}) {
    CHECK(!spans(2, 72, 4, 1, gpu));
    CHECK(spans(2, 72, 8, 1, gpu));
    CHECK(spans(2, 72, 2, 4, gpu));
    CHECK(!spans(18, 8, 8, 1, gpu));
  }
  CHECK(spans(1, 9, 9, 1, 0));
}

TEST_CASE("across servers there is a ring a rail, and it enters and leaves a server at that rail") {
  for (std::uint32_t nics : {8u, 4u, 2u, 1u}) {
    Model model = make_model(3, 8, nics, {regular(24, 1)});
    const AddressBook& book = *model.resource<AddressBook>();
    GroupPlans plans(model);
    const GroupPlan& plan = plans.of(GroupKindId{0}, EndpointId{0});
    CHECK(plan.channels == nics);
    for (std::uint32_t c = 0; c < nics; ++c) {
      std::set<std::uint32_t> seen;
      for (std::uint32_t p = 0; p < 24; ++p) {
        const EndpointId from = plan.ring_member(c, p), to = plan.ring_member(c, p + 1);
        seen.insert(from.value);
        CHECK(plan.ring_position(c, plan.index_of(from)) == p);
        if (book[from].server != book[to].server) CHECK(book[to].nic == c);
      }
      CHECK(seen.size() == 24);
    }
  }
}

TEST_CASE("one GPU a server makes one ring on its own rail") {
  Model model = make_model(5, 4, 4, {regular(5, 4)});
  GroupPlans plans(model);
  const GroupPlan& plan = plans.of(GroupKindId{0}, EndpointId{2});
  CHECK(plan.channels == 1);
  CHECK(plan.members == std::vector<EndpointId>{EndpointId{2}, EndpointId{6}, EndpointId{10}, EndpointId{14},
                                                EndpointId{18}});
}

TEST_CASE("servers with unequal shares of a group have as many rings as the least of them has NICs") {
  GroupKind kind;
  kind.name = "odd";
  kind.listed = {{EndpointId{9}, EndpointId{0}, EndpointId{3}, EndpointId{1}, EndpointId{8}}};
  Model model = make_model(2, 8, 8, {kind});
  GroupPlans plans(model);
  const GroupPlan& plan = plans.of(GroupKindId{0}, EndpointId{9});
  CHECK(plan.channels == 2);
  CHECK(plan.server_first == std::vector<std::uint32_t>{0, 3, 5});
  CHECK(plan.ring_member(1, 0) == EndpointId{1});
  CHECK(plan.ring_member(1, 2) == EndpointId{0});
  CHECK(plan.ring_member(1, 3) == EndpointId{9});
}

TEST_CASE("members send in NCCL's rounds: by servers, then by places, in triangular numbers") {
  using Order = std::vector<std::uint32_t>;
  Model model = make_model(4, 4, 4, {regular(16, 1)});
  const GroupPlan plan = GroupPlans(model).of(GroupKindId{0}, EndpointId{0});
  // Differences 0, 1, 3, 2 of servers and of places.
  CHECK(pair_order(plan, 0, false) == Order{0, 1, 3, 2, 4, 5, 7, 6, 12, 13, 15, 14, 8, 9, 11, 10});
  CHECK(pair_order(plan, 5, false) == Order{5, 6, 4, 7, 9, 10, 8, 11, 1, 2, 0, 3, 13, 14, 12, 15});
  CHECK(pair_order(plan, 5, true) == Order{5, 4, 6, 7, 1, 0, 2, 3, 9, 8, 10, 11, 13, 12, 14, 15});

  // Three servers: of four differences the 3 is left out.
  Model three = make_model(3, 2, 2, {regular(6, 1)});
  const GroupPlan small = GroupPlans(three).of(GroupKindId{0}, EndpointId{0});
  CHECK(pair_order(small, 1, false) == Order{1, 0, 3, 2, 5, 4});
}

TEST_CASE("in each of NCCL's rounds every member sends to one that receives from it") {
  const auto check = [](const GroupPlan& plan) {
    std::vector<std::vector<std::uint32_t>> to, from;
    for (std::uint32_t i = 0; i < plan.size(); ++i) {
      to.push_back(pair_order(plan, i, false));
      from.push_back(pair_order(plan, i, true));
      CHECK(std::set(to[i].begin(), to[i].end()).size() == plan.size());
    }
    for (std::uint32_t round = 0; round < plan.size(); ++round)
      for (std::uint32_t i = 0; i < plan.size(); ++i) CHECK(from[to[i][round]][round] == i);
  };
  for (const std::uint32_t servers : {1u, 3u, 5u, 8u})
    for (const std::uint32_t gpus : {1u, 3u, 8u}) {
      Model model = make_model(servers, gpus, gpus, {regular(servers * gpus, 1)});
      check(GroupPlans(model).of(GroupKindId{0}, EndpointId{0}));
    }
  // Two members on the first server, one on the second: all count as one server's.
  Model uneven = make_model(3, 2, 2, {regular(3, 1)});
  check(GroupPlans(uneven).of(GroupKindId{0}, EndpointId{0}));
}

}  // namespace lightrail
