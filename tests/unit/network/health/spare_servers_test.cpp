#include "network/health/spare_servers.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "tests/support/devices.hpp"
#include "tests/support/test_model.hpp"

using namespace lightrail;

namespace {

SimTime us(std::int64_t n) {
  return microseconds(n);
}

/// Six servers of two GPUs and a host; GPUs of servers stand still as told. Endpoints: GPUs 0 to 11, hosts 12
/// to 17, one storage server.
struct Place {
  AddressBook book;
  ServerHealth health;

  explicit Place(const std::map<std::uint32_t, std::vector<Outage>>& failures) {
    test::TestModel made;
    const auto spec = std::make_shared<const test::RoleSpec<DeviceRole::gpu>>();
    for (std::uint32_t g = 0; g < 12; ++g) {
      book.component_of.push_back(made.add(test::kind_named("gpu", false), spec));
      book.endpoints.push_back({g / 2, Lid{}, static_cast<std::uint16_t>(g % 2), 0});
    }
    for (std::uint32_t e = 0; e < 7; ++e) {
      book.component_of.push_back(made.add(test::kind_named("host", false), std::make_shared<const Spec>()));
      book.endpoints.push_back({e, Lid{}, 0, 0});
    }
    book.gpu_count = 12, book.first_storage = 18, book.storage_count = 1;
    HealthTable::Slowdowns slowdowns;
    for (const auto& [server, spans] : failures)
      for (const Outage& span : spans) slowdowns[book.component_of[2 * server]].push_back({span, all_speed});
    health = ServerHealth(made.build(), HealthTable({}, {}, {}, slowdowns), book, nullptr);
  }
  /// Servers 0 to 2 are in use; what is back in 10 us was not missed.
  [[nodiscard]] SpareServers spares(const std::vector<std::uint32_t>& list) const {
    return {book, health, {true, true, true}, list, us(10)};
  }
};

}  // namespace

TEST_CASE("the first server that fails has the first spare, the second one the second") {
  const Place place({{1, {{us(100), time_never}}}, {0, {{us(200), us(900)}}}});
  const SpareServers spares = place.spares({5, 3});
  CHECK(spares.in_place_of(1, us(99)) == 1);
  CHECK(spares.in_place_of(1, us(100)) == 5);
  CHECK(spares.in_place_of(0, us(150)) == 0);
  CHECK(spares.in_place_of(0, us(200)) == 3);
  CHECK(spares.in_place_of(0, us(1000)) == 3);  // it is repaired, and stays where it is
  CHECK(spares.place_of(5) == 1);
  CHECK(spares.place_of(3) == 0);
  CHECK(spares.place_of(4) == 4);
}

TEST_CASE("GPUs keep their places in the server, hosts go with them, storage stays") {
  const Place place({{1, {{us(100), time_never}}}});
  const SpareServers spares = place.spares({4});
  const auto physical = [&](std::uint32_t e) { return spares.physical(EndpointId{e}, us(100)).value; };
  CHECK(physical(2) == 8);
  CHECK(physical(3) == 9);
  CHECK(physical(13) == 16);
  CHECK(physical(4) == 4);
  CHECK(physical(18) == 18);
  for (std::uint32_t e = 0; e < 19; ++e) {
    const bool is_idle = e == 8 || e == 9 || e == 16;  // before it is taken
    if (!is_idle) CHECK(spares.logical(EndpointId{physical(e)}).value == e);
  }
}

TEST_CASE("a spare that fails in its turn is replaced, one that is down is passed over") {
  const Place place({{0, {{us(100), time_never}}}, {3, {{us(300), time_never}}}, {4, {{us(50), us(400)}}}});
  const SpareServers spares = place.spares({4, 3, 5});
  CHECK(spares.in_place_of(0, us(200)) == 3);
  CHECK(spares.in_place_of(0, us(300)) == 5);
  CHECK(spares.place_of(5) == 0);
  CHECK(spares.place_of(3) == 0);
}

TEST_CASE("what is back before it is found, or in no use, takes no spare") {
  const Place place({{0, {{us(100), us(110)}}}, {5, {{us(10), time_never}}}, {1, {{us(200), us(211)}}}});
  const SpareServers spares = place.spares({3});
  CHECK(spares.in_place_of(0, us(105)) == 0);
  CHECK(spares.in_place_of(1, us(200)) == 3);
}

TEST_CASE("without a spare everybody stays") {
  const Place place({{0, {{us(100), time_never}}}});
  const SpareServers spares = place.spares({});
  CHECK(spares.is_empty());
  CHECK(spares.physical(EndpointId{1}, us(500)) == EndpointId{1});
}
