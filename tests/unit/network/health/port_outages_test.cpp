#include "network/health/port_outages.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace lightrail;

namespace {

constexpr std::uint32_t all = PortChange::all_ports;
constexpr PortState works = PortState::works, failed = PortState::failed, stuck = PortState::stuck;

using Changes = std::vector<PortChange>;

SimTime us(std::int64_t n) {
  return microseconds(n);
}

}  // namespace

TEST_CASE("a port is repaired at the end of its last outage") {
  CHECK(changes_of({{0, {{us(10), us(30)}, {us(11), us(13)}}}}, {}, 4) ==
        Changes{{us(10), 0, failed}, {us(30), 0, works}});
  CHECK(changes_of({{0, {{us(10), us(30)}, {us(20), time_never}}}}, {}, 4) == Changes{{us(10), 0, failed}});
}

TEST_CASE("an outage of the whole switch does not end one of a port, nor the other way round") {
  CHECK(changes_of({{0, {{us(10), us(30)}}}, {all, {{us(11), us(13)}}}}, {}, 3) ==
        Changes{{us(10), 0, failed},
                {us(11), 1, failed},
                {us(11), 2, failed},
                {us(13), 1, works},
                {us(13), 2, works},
                {us(30), 0, works}});
  CHECK(changes_of({{1, {{us(11), us(13)}}}, {all, {{us(10), us(30)}}}}, {}, 3) ==
        Changes{{us(10), all, failed}, {us(30), all, works}});
}

TEST_CASE("outages that do not meet change the ports as they stand") {
  CHECK(changes_of({{1, {{us(1), us(3)}}}, {all, {{us(5), us(7)}}}}, {}, 2) ==
        Changes{{us(1), 1, failed}, {us(3), 1, works}, {us(5), all, failed}, {us(7), all, works}});
  CHECK(changes_of({{all, {{us(5), us(7)}}}}, {}, 2) == Changes{{us(5), all, failed}, {us(7), all, works}});
  // Every port by itself: the switch is not said to have failed.
  CHECK(changes_of({{0, {{us(5), time_never}}}, {1, {{us(5), time_never}}}}, {}, 2) ==
        Changes{{us(5), 0, failed}, {us(5), 1, failed}});
}

TEST_CASE("the end of an outage leaves what the switch itself says of a port") {
  // Stuck during the outage, before it, and failed for good.
  CHECK(changes_of({{0, {{us(10), us(30)}}}}, {{us(12), 0, stuck}}, 2) ==
        Changes{{us(10), 0, failed}, {us(30), 0, stuck}});
  CHECK(changes_of({{0, {{us(10), us(30)}}}}, {{us(5), all, stuck}}, 2) ==
        Changes{{us(5), all, stuck}, {us(10), 0, failed}, {us(30), 0, stuck}});
  CHECK(changes_of({{all, {{us(10), us(30)}}}}, {{us(9), 1, failed}}, 2) ==
        Changes{{us(9), 1, failed}, {us(10), 0, failed}, {us(30), 0, works}});
  // A repair while the outage lasts is not the outage's end.
  CHECK(changes_of({{0, {{us(10), us(30)}}}}, {{us(20), all, works}, {us(9), all, failed}}, 1) ==
        Changes{{us(9), all, failed}, {us(30), 0, works}});
}
