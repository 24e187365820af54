#include "network/health/nic_health.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include "network/transport/nic_returns.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/test_model.hpp"

using namespace lightrail;

namespace {

SimTime us(std::int64_t n) {
  return microseconds(n);
}

/// Servers of three and of one GPU, a NIC each, all on one leaf. NIC 0 is down in [100, 200), NIC 1 in
/// [150, 300), NIC 3 in [100, 200) us; senders know 5 us later. `on_nvlink`: GPUs that an NVSwitch joins.
struct Place {
  AddressBook book;
  Model model;
  HealthTable table;
  NicHealth health;

  explicit Place(const std::vector<std::uint32_t>& on_nvlink = {0, 1, 2}) {
    test::TestModel made;
    const auto spec = std::make_shared<const Spec>();
    for (std::uint32_t g = 0; g < 4; ++g) {
      book.component_of.push_back(made.add(test::kind_named("gpu", false), spec));
      const auto local = static_cast<std::uint16_t>(g % 3);
      book.endpoints.push_back({g / 3, Lid{g}, local, local});
    }
    book.gpu_count = 4;
    std::vector<ComponentId> nics;
    for (std::uint32_t g = 0; g < 4; ++g) nics.push_back(made.add(test::kind_named("nic", true), spec));
    const ComponentId leaf = made.add(test::kind_named("leaf", true), spec);
    for (std::uint32_t g = 0; g < 4; ++g) made.connect(book.component_of[g], nics[g], nanoseconds(100));
    for (std::uint32_t g = 0; g < 4; ++g) made.connect(nics[g], leaf, nanoseconds(100));
    const ComponentId nvswitch =
        made.add(test::kind_named("nvswitch", false), std::make_shared<const test::NvswitchTraits>());
    for (const std::uint32_t g : on_nvlink) made.connect(book.component_of[g], nvswitch, nanoseconds(100));
    model = made.build();
    table = HealthTable({us(5), us(50)}, {{LinkId{8}, {{us(100), us(200)}}},
                                          {LinkId{10}, {{us(150), us(300)}}},
                                          {LinkId{14}, {{us(100), us(200)}}}});
    health = NicHealth(table, book, model);
  }
  std::uint32_t stand_in(std::uint32_t gpu, SimTime now) const {
    return health.stand_in(EndpointId{gpu}, now, Observer::sender).value;
  }
};

}  // namespace

TEST_CASE("the next GPU of the server whose NIC is up stands in") {
  const Place place;
  CHECK(place.stand_in(0, us(104)) == 0);  // not known yet
  CHECK(place.stand_in(0, us(105)) == 1);
  CHECK(place.stand_in(0, us(155)) == 2);  // 1 is down, too
  CHECK(place.stand_in(1, us(155)) == 2);
  CHECK(place.stand_in(0, us(205)) == 0);
  CHECK(place.stand_in(2, us(155)) == 2);
  CHECK(place.stand_in(3, us(155)) == 3);  // alone in its server
}

TEST_CASE("who stands in changes when any NIC of the server does, and not with another server's") {
  const Place place;
  const auto next = [&](std::uint32_t gpu, SimTime now) {
    return place.health.next_change_of_server(EndpointId{gpu}, now, Observer::sender);
  };
  for (const std::uint32_t gpu : {0u, 1u, 2u}) {
    CHECK(next(gpu, us(0)) == us(105));
    CHECK(next(gpu, us(105)) == us(155));
    CHECK(next(gpu, us(155)) == us(205));
    CHECK(next(gpu, us(205)) == us(305));
    CHECK(next(gpu, us(305)) == time_never);
  }
  CHECK(next(3, us(105)) == us(205));
  CHECK(next(3, us(205)) == time_never);
}

TEST_CASE("nobody stands in where NVLink does not join the two") {
  const std::vector<std::uint32_t> none, without_first{1, 2}, without_second{0, 2};
  CHECK(Place(none).stand_in(0, us(105)) == 0);
  CHECK(Place(without_first).stand_in(0, us(105)) == 0);
  CHECK(Place(without_second).stand_in(0, us(105)) == 2);
}

TEST_CASE("nobody stands in where a GPU has several NICs or circuits change") {
  Place several;
  several.book.add_nic_address(EndpointId{1}, {0, Lid{9}, 1, 4});
  CHECK(NicHealth(several.table, several.book, several.model).is_empty());
  Place circuits;
  circuits.model.add<NicReturns>(std::make_shared<NicReturns>());
  CHECK(NicHealth(circuits.table, circuits.book, circuits.model).is_empty());
}

TEST_CASE("without outages there is nothing to ask") {
  const Place place;
  const HealthTable nothing;
  const NicHealth none(nothing, place.book, place.model);
  CHECK(none.is_empty());
  CHECK(none.stand_in(EndpointId{0}, us(150), Observer::sender) == EndpointId{0});
  CHECK(none.next_change_of_server(EndpointId{0}, us(0), Observer::sender) == time_never);
}

namespace {

/// A server of two GPUs, each with a NIC of two cables to leaves of their own; senders know at once.
/// `down`: by cable of NIC 0, then of NIC 1.
NicHealth two_cables(HealthTable& table, AddressBook& book, Model& model,
                     const std::vector<std::vector<Outage>>& down) {
  test::TestModel made;
  const auto spec = std::make_shared<const Spec>();
  std::vector<ComponentId> nics;
  for (std::uint32_t g = 0; g < 2; ++g) {
    book.component_of.push_back(made.add(test::kind_named("gpu", false), spec));
    book.endpoints.push_back({0, Lid{g}, static_cast<std::uint16_t>(g), static_cast<std::uint16_t>(g)});
    nics.push_back(made.add(test::kind_named("nic", true), spec));
  }
  book.gpu_count = 2;
  const ComponentId nvswitch =
      made.add(test::kind_named("nvswitch", false), std::make_shared<const test::NvswitchTraits>());
  HealthTable::Outages outages;
  std::uint32_t link = 0;
  for (std::uint32_t g = 0; g < 2; ++g)
    for (std::uint32_t port = 0; port < 2; ++port, link += 2) {
      made.connect(nics[g], made.add(test::kind_named("leaf", true), spec), nanoseconds(100));
      if (!down[2 * g + port].empty()) outages[LinkId{link}] = down[2 * g + port];
    }
  for (std::uint32_t g = 0; g < 2; ++g) {
    made.connect(book.component_of[g], nics[g], nanoseconds(100));
    made.connect(book.component_of[g], nvswitch, nanoseconds(100));
  }
  model = made.build();
  table = HealthTable({}, outages);
  return {table, book, model};
}

}  // namespace

TEST_CASE("a NIC of two ports is up while one of its cables is") {
  HealthTable table;
  AddressBook book;
  Model model;
  const NicHealth health =
      two_cables(table, book, model, {{{us(100), us(300)}}, {{us(200), us(400)}}, {{us(250), us(260)}}, {}});
  REQUIRE(!health.is_empty());
  const auto stand_in = [&](SimTime now) {
    return health.stand_in(EndpointId{0}, now, Observer::sender).value;
  };
  CHECK(stand_in(us(150)) == 0);
  CHECK(stand_in(us(200)) == 1);
  CHECK(stand_in(us(255)) == 1);  // whose first cable is down
  CHECK(stand_in(us(300)) == 0);
  CHECK(health.next_change(EndpointId{0}, us(150), Observer::sender) == us(200));
}

TEST_CASE("where no NIC of two ports ever loses both cables nobody has to stand in") {
  HealthTable table;
  AddressBook book;
  Model model;
  CHECK(two_cables(table, book, model,
                   {{{us(100), us(200)}}, {{us(200), us(400)}}, {{us(250), time_never}}, {}})
            .is_empty());
}
