#include "network/health/server_health.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "tests/support/devices.hpp"
#include "tests/support/test_model.hpp"

using namespace lightrail;

namespace {

SimTime us(std::int64_t n) {
  return microseconds(n);
}

/// Two servers of two GPUs, a NIC each, on one leaf, GPUs of a server joined by `nvlinks` NVLinks
/// each. Links: GPU g to its NIC 2g, NIC g to the leaf 8 + 2g, GPU g to the NVSwitch 16 + 2 (nvlinks g + k).
struct Place {
  AddressBook book;
  Model model;
  HealthTable table;
  NicHealth nics;
  std::vector<ComponentId> nic;

  Place(std::uint32_t nvlinks, const HealthTable::Outages& outages,
        const HealthTable::Slowdowns& slowdowns = {}) {
    test::TestModel made;
    const auto gpu = std::make_shared<const test::RoleSpec<DeviceRole::gpu>>();
    const auto nic_spec = std::make_shared<const test::RoleSpec<DeviceRole::nic>>();
    const auto nvswitch = std::make_shared<const test::NvswitchTraits>();
    for (std::uint32_t g = 0; g < 4; ++g) {
      book.component_of.push_back(made.add(test::kind_named("gpu", false), gpu));
      const auto local = static_cast<std::uint16_t>(g % 2);
      book.endpoints.push_back({g / 2, Lid{g}, local, local});
    }
    book.gpu_count = book.first_storage = 4;
    for (std::uint32_t g = 0; g < 4; ++g) nic.push_back(made.add(test::kind_named("nic", true), nic_spec));
    const ComponentId leaf = made.add(test::kind_named("leaf", true), std::make_shared<const Spec>());
    for (std::uint32_t g = 0; g < 4; ++g) made.connect(book.component_of[g], nic[g], nanoseconds(100));
    for (std::uint32_t g = 0; g < 4; ++g) made.connect(nic[g], leaf, nanoseconds(100));
    for (std::uint32_t s = 0; nvlinks > 0 && s < 2; ++s) {
      const ComponentId joint = made.add(test::kind_named("nvswitch", false), nvswitch);
      for (std::uint32_t l = 0; l < 2 * nvlinks; ++l)
        made.connect(book.component_of[2 * s + l / nvlinks], joint, nanoseconds(100));
    }
    model = made.build();
    table = HealthTable({us(5), us(50)}, outages, {}, slowdowns);
    nics = NicHealth(table, book, model);
  }
  [[nodiscard]] ServerHealth health() const { return {model, table, book, &nics}; }
};

using Failure = std::tuple<std::uint32_t, SimTime, SimTime, ComponentId>;

std::vector<Failure> failures(const ServerHealth& health) {
  std::vector<Failure> all;
  for (const ServerFailure& one : health.failures())
    all.emplace_back(one.server, one.span.down, one.span.up, one.cause);
  return all;
}

}  // namespace

TEST_CASE("a GPU that stands still takes its server, one that is slow does not") {
  const ComponentId gpu1{1}, gpu2{2};
  const Place place(1, {},
                    {{gpu1, {{{us(10), us(30)}, all_speed}}},
                     {gpu2, {{{us(5), us(40)}, all_speed / 2}, {{us(50), time_never}, all_speed}}}});
  CHECK(failures(place.health()) ==
        std::vector<Failure>{{0, us(10), us(30), gpu1}, {1, us(50), time_never, gpu2}});
}

TEST_CASE("a server is cut off when no NIC of it is left to stand in") {
  // NIC 0 is down in [10, 60), NIC 1 in [20, 40).
  const Place place(1, {{LinkId{8}, {{us(10), us(60)}}}, {LinkId{10}, {{us(20), us(40)}}}});
  const ServerHealth health = place.health();
  REQUIRE(health.failures().size() == 1);
  CHECK(health.failures()[0].server == 0);
  CHECK(health.failures()[0].span == Outage{us(20), us(40)});
  CHECK(health.failure_at(0, us(19)) == nullptr);
  CHECK(health.failure_at(0, us(20)) == &health.failures()[0]);
  CHECK(health.failure_at(1, us(20)) == nullptr);
  CHECK(health.failure_at(0, us(40)) == nullptr);
}

TEST_CASE("a GPU that has lost all of its NVLinks takes its server while none is up") {
  const ComponentId gpu1{1};
  // Two each: those of GPU 0 down one after the other, those of GPU 1 together in [20, 30) and from 50 on.
  const Place place(2, {{LinkId{16}, {{us(10), us(20)}}},
                        {LinkId{18}, {{us(20), us(40)}}},
                        {LinkId{20}, {{us(15), us(30)}, {us(50), time_never}}},
                        {LinkId{22}, {{us(20), time_never}}}});
  CHECK(failures(place.health()) ==
        std::vector<Failure>{{0, us(20), us(30), gpu1}, {0, us(50), time_never, gpu1}});
}

TEST_CASE("without NVLink every NIC counts") {
  const Place place(0, {{LinkId{8}, {{us(10), us(60)}}}, {LinkId{10}, {{us(50), us(70)}}}});
  CHECK(failures(place.health()) == std::vector<Failure>{{0, us(10), us(70), place.nic[0]}});
}

TEST_CASE("failures of all servers are in the order in which they begin") {
  const Place place(0, {{LinkId{14}, {{us(10), us(20)}}}, {LinkId{8}, {{us(5), us(8)}, {us(12), us(13)}}}});
  CHECK(failures(place.health()) == std::vector<Failure>{{0, us(5), us(8), place.nic[0]},
                                                         {1, us(10), us(20), place.nic[3]},
                                                         {0, us(12), us(13), place.nic[0]}});
}

TEST_CASE("a NIC of two ports cuts its server off while both cables are down, of a GPU and of a host") {
  for (const DeviceRole role : {DeviceRole::gpu, DeviceRole::host})
    for (const std::int64_t second_fails : {20, 50}) {
      CAPTURE(static_cast<int>(role), second_fails);
      test::TestModel made;
      AddressBook book;
      book.gpu_count = role == DeviceRole::gpu ? 1 : 0, book.first_storage = 1;
      const std::shared_ptr<const Spec> of_gpu = std::make_shared<const test::RoleSpec<DeviceRole::gpu>>(),
                                        of_host = std::make_shared<const test::RoleSpec<DeviceRole::host>>();
      book.component_of = {
          made.add(test::kind_named("device", false), role == DeviceRole::gpu ? of_gpu : of_host)};
      book.endpoints = {{0, Lid{0}, 0, 0}};
      const ComponentId nic =
          made.add(test::kind_named("nic", true), std::make_shared<const test::TwoPortNic>());
      for (int leaf = 0; leaf < 2; ++leaf)  // links 0 and 2 from the NIC
        made.connect(nic, made.add(test::kind_named("leaf", true), std::make_shared<const Spec>()),
                     nanoseconds(100));
      made.connect(book.component_of[0], nic, nanoseconds(100));
      const Model model = made.build();
      const HealthTable table({},
                              {{LinkId{0}, {{us(10), us(40)}}}, {LinkId{2}, {{us(second_fails), us(60)}}}});
      const NicHealth nics(table, book, model);
      const std::vector<Failure> both{{0, us(20), us(40), nic}};
      CHECK(failures(ServerHealth(model, table, book, &nics)) ==
            (second_fails == 20 ? both : std::vector<Failure>{}));
    }
}
