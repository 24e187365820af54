#include "network/health/nic_planes.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <vector>

#include "network/routing/routing.hpp"
#include "tests/support/devices.hpp"
#include "tests/support/test_model.hpp"

using namespace lightrail;

namespace {

SimTime us(std::int64_t n) {
  return microseconds(n);
}

/// NICs of lids 7 and 8 with port k on leaf k: links 0 to 7, NIC by NIC. Cable 1 of the first one is down in
/// [100, 200), cable 0 of the second one from 150 us on; senders know 5 us later.
struct Place {
  Model model;
  HealthTable table;

  explicit Place(bool has_twins = false) {
    test::TestModel made;
    const auto spec = std::make_shared<const Spec>();
    const auto dual = std::make_shared<const test::TwoPortNic>();
    const ComponentId nics[] = {made.add(test::kind_named("nic", true), dual),
                                made.add(test::kind_named("nic", true), dual)};
    const ComponentId leaves[] = {made.add(test::kind_named("leaf", true), spec),
                                  made.add(test::kind_named("leaf", true), spec)};
    auto tables = std::make_shared<RoutingTables>();
    SwitchRoute route;
    route.down = {{7, 9, 1, 0, 1}};
    route.has_twin = has_twins;
    tables->routes.push_back(route);
    for (const ComponentId nic : nics)
      for (const ComponentId leaf : leaves) made.connect(nic, leaf, nanoseconds(100));
    for (const ComponentId leaf : leaves) tables->route_of.emplace(leaf.value, 0);
    model = made.build();
    model.add<RoutingTables>(tables);
    table = HealthTable({us(5), us(50)},
                        {{LinkId{2}, {{us(100), us(200)}}}, {LinkId{4}, {{us(150), time_never}}}});
  }
};

}  // namespace

TEST_CASE("a port leads to a NIC whose cable in its plane senders take for up") {
  const Place place;
  const NicPlanes planes(place.table, place.model);
  REQUIRE(!planes.is_empty());
  CHECK(planes.leads_to(Lid{7}, 1, us(104)));
  CHECK(!planes.leads_to(Lid{7}, 1, us(105)));
  CHECK(planes.leads_to(Lid{7}, 0, us(105)));
  CHECK(planes.leads_to(Lid{7}, 1, us(205)));
  CHECK(!planes.leads_to(Lid{8}, 0, us(1000)));
  CHECK(planes.leads_to(Lid{8}, 1, us(1000)));
  CHECK(planes.leads_to(Lid{99}, 0, us(1000)));
  CHECK(planes.next_change(us(0)) == us(105));
  CHECK(planes.next_change(us(105)) == us(155));
  CHECK(planes.next_change(us(155)) == us(205));
  CHECK(planes.next_change(us(205)) == time_never);
}

TEST_CASE("planes that are joined restrict nobody, and so do cables that never fail") {
  const Place twins(true);
  CHECK(NicPlanes(twins.table, twins.model).is_empty());
  const Place place;
  const HealthTable nothing;
  CHECK(NicPlanes(nothing, place.model).is_empty());
  CHECK(NicPlanes().leads_to(Lid{7}, 1, us(105)));
}
