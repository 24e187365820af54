#include "network/health/health_table.hpp"

#include <catch2/catch.hpp>

#include <utility>
#include <vector>

#include <cstdint>

using namespace lightrail;

namespace {

constexpr LinkId cable{6}, other{7};

SimTime us(std::int64_t n) {
  return microseconds(n);
}

HealthTable table() {
  return {{us(5), us(50)}, {{cable, {{us(100), us(200)}, {us(300), time_never}}}}};
}

}  // namespace

TEST_CASE("without faults every link is up and nothing ever changes") {
  const HealthTable none;
  CHECK(none.is_empty());
  CHECK_FALSE(none.has_outages(cable));
  CHECK(none.is_up(cable, us(1'000)));
  CHECK(none.next_change(cable, SimTime{0}) == time_never);
  CHECK(none.cut_at(cable, us(7), us(3)) == time_never);
}

TEST_CASE("a link is down from the first picosecond of an outage to the last one before its end") {
  const HealthTable health = table();
  CHECK(health.is_up(cable, us(100) - SimTime{1}));
  CHECK_FALSE(health.is_up(cable, us(100)));
  CHECK_FALSE(health.is_up(cable, us(200) - SimTime{1}));
  CHECK(health.is_up(cable, us(200)));
  CHECK_FALSE(health.is_up(cable, time_never - SimTime{1}));
  CHECK(health.is_up(other, us(150)));
}

TEST_CASE("a sender learns of both ends of an outage after the detection time, routing after reconvergence") {
  // Down in [100, 200): the sender takes it for down in [105, 205), routing in [150, 250).
  const HealthTable health = table();
  CHECK(health.is_up(cable, us(105) - SimTime{1}, Observer::sender));
  CHECK_FALSE(health.is_up(cable, us(105), Observer::sender));
  CHECK_FALSE(health.is_up(cable, us(204), Observer::sender));
  CHECK(health.is_up(cable, us(205), Observer::sender));
  CHECK(health.is_up(cable, us(149), Observer::routing));
  CHECK_FALSE(health.is_up(cable, us(249), Observer::routing));
  CHECK(health.is_up(cable, us(250), Observer::routing));
}

TEST_CASE("the next change is the next begin or end as the observer sees it") {
  const HealthTable health = table();
  CHECK(health.next_change(cable, SimTime{0}) == us(100));
  CHECK(health.next_change(cable, us(100)) == us(200));
  CHECK(health.next_change(cable, us(200)) == us(300));
  CHECK(health.next_change(cable, us(300)) == time_never);
  CHECK(health.next_change(cable, us(200), Observer::sender) == us(205));
}

TEST_CASE("the next change of any link is the first of all, whoever asks") {
  const HealthTable health{
      {us(5), us(50)}, {{cable, {{us(100), us(200)}}}, {other, {{us(150), us(200)}, {us(900), time_never}}}}};
  for (const auto& [observer, wait] :
       {std::pair{Observer::port, 0}, {Observer::sender, 5}, {Observer::routing, 50}}) {
    CHECK(health.next_change(SimTime{0}, observer) == us(100 + wait));
    CHECK(health.next_change(us(100 + wait), observer) == us(150 + wait));
    CHECK(health.next_change(us(150 + wait), observer) == us(200 + wait));
    CHECK(health.next_change(us(200 + wait), observer) == us(900 + wait));
    CHECK(health.next_change(us(900 + wait), observer) == time_never);
  }
  CHECK(HealthTable{}.next_change(SimTime{0}, Observer::port) == time_never);
}

TEST_CASE("a train is cut off where an outage begins on its way, and at once where the link is down") {
  const HealthTable health = table();
  CHECK(health.cut_at(cable, us(90), us(10)) == time_never);  // its tail leaves at 100: just in time
  CHECK(health.cut_at(cable, us(90) + SimTime{1}, us(10)) == us(100));
  CHECK(health.cut_at(cable, us(150), us(10)) == us(150));
  CHECK(health.cut_at(cable, us(200), us(100)) == time_never);
  CHECK(health.cut_at(cable, us(295), us(150)) == us(300));
}

TEST_CASE("outages that touch or overlap are one, and empty ones none") {
  const HealthTable health{{},
                           {{cable, {{us(20), us(30)}, {us(5), us(5)}, {us(10), us(20)}, {us(12), us(15)}}}}};
  REQUIRE(health.outages(cable).size() == 1);
  CHECK(health.outages(cable)[0] == Outage{us(10), us(30)});
}

TEST_CASE("GPUs that stand still for good are dead from then on, others are not") {
  const HealthTable::Slowdowns slowdowns{{ComponentId{3}, {{{microseconds(1), microseconds(2)}}}},
                                         {ComponentId{5}, {{{microseconds(4), time_never}}}},
                                         {ComponentId{6}, {{{microseconds(1), time_never}, 300'000}}}};
  const HealthTable table({}, {}, {}, slowdowns);
  CHECK_FALSE(table.is_empty());
  CHECK_FALSE(table.has_outages());
  CHECK(table.pace_changes(ComponentId{4}).empty());
  CHECK(table.pace_changes(ComponentId{3}).size() == 2);
  CHECK(table.dead_gpus(microseconds(3)).empty());
  CHECK(table.dead_gpus(microseconds(4)) == std::vector{std::pair(ComponentId{5}, microseconds(4))});
}
