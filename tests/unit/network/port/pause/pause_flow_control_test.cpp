#include "network/port/pause/pause_flow_control.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace lightrail;

namespace {
constexpr std::int64_t giga = 1'000'000'000;
}

TEST_CASE("the reaction is that of the nominal rate next above, and beyond 400 Gb/s its time") {
  // Quanta of 512 bit times: 394 at 100 Gb/s, 453 at 200, 905 at 400.
  CHECK(pause_reaction(BitRate{100 * giga}) == SimTime{394 * 5120});
  CHECK(pause_reaction(BitRate{96 * giga}) == SimTime{394 * 5120});
  CHECK(pause_reaction(BitRate{200 * giga}) == SimTime{453 * 2560});
  CHECK(pause_reaction(BitRate{384 * giga}) == SimTime{905 * 1280});
  CHECK(pause_reaction(BitRate{800 * giga}) == SimTime{905 * 1280});
}

TEST_CASE(
    "the headroom of a link is two packets, a frame and what it carries there, back and until it stops") {
  // 400 Gb/s are 50 B/ns: 1,000 ns of cables, 1,158.4 ns of reaction; 4,096 B and 84 B back at the same rate.
  const PortEnd end{.out_rate = BitRate{400 * giga},
                    .in_rate = BitRate{400 * giga},
                    .round_trip = nanoseconds(1000),
                    .mtu_bytes = 4096};
  CHECK(headroom_bytes(end, pause_reaction(end.in_rate)) == 50'000 + 57'920 + 4096 + 84 + 4096);
}

TEST_CASE("a device may react faster or slower than the standard says, but not before it has chosen") {
  CHECK(PauseFlowControl({.reaction = nanoseconds(300)}).reaction(BitRate{400 * giga}) == nanoseconds(300));
  CHECK(PauseFlowControl({.reaction = nanoseconds(300), .least_reaction = nanoseconds(500)})
            .reaction(BitRate{400 * giga}) == nanoseconds(500));
  CHECK(PauseFlowControl().reaction(BitRate{400 * giga}) == SimTime{905 * 1280});
}
