#include "network/port/lane_turns.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "network/wire/message.hpp"

using namespace lightrail;

namespace {

/// Stops lanes at the times that it is told.
class Stopping final : public SendControl {
 public:
  [[nodiscard]] SendTerms terms(PortIndex) const override { return {}; }
  [[nodiscard]] LaneMask on_message(Context&, PortIndex, const Payload&, SendLanes) override { return 0; }
  [[nodiscard]] SimTime stops_at(PortIndex, std::uint8_t lane) const override { return at[lane]; }
  [[nodiscard]] std::string_view awaited() const override { return "nothing"; }

  std::array<SimTime, 4> at{time_never, time_never, time_never, time_never};
};

/// Keeps the times of the timers that are asked for.
class Timers final : public EventSink, public RowSink {
 public:
  void push(SimTime time, std::uint32_t, Payload payload, const OutLink&) override {
    CHECK(as<FlowTimer>(payload).side == FlowTimer::Side::line);
    CHECK(as<FlowTimer>(payload).port == 5);
    ends.push_back(time);
  }
  void append(TableId, ComponentId, SimTime, std::span<const std::int64_t>) override {}

  std::vector<SimTime> ends;
};

/// Port 5 of some device, with four lanes of which the first one has three times the weight of the others;
/// trains have 1,000 B.
struct Port {
  EgressPort port;
  LineTurns line;
  Stopping control;
  SendLane far[2];
  SendQueue queue;
  Timers timers;

  explicit Port(SimTime ahead = SimTime{0}) {
    port.lanes = 4;
    port.takes_turns = true;
    line.arbiter = LaneArbiter(LaneWeights{{3, 1, 1, 1, 1, 1, 1, 1}}, 1000);
    line.ahead = ahead;
  }
  SendLanes lanes() { return {port.near, far, port.lanes, unlimited}; }
  LaneTurns turns() { return {line, port, 5, control, lanes(), queue}; }
  void wait(std::uint32_t lane, SimTime ready = SimTime{0}) {
    Waiting waiting{};
    waiting.train.bytes = 1000;
    waiting.ready = ready;
    queue.push(lanes()[lane].first_waiting, lanes()[lane].last_waiting, waiting);
  }
  /// The lane that sends at `now`, its train gone.
  std::uint32_t send(SimTime now) {
    const std::uint32_t lane = turns().next(now);
    if (lane != LaneArbiter::none)
      static_cast<void>(queue.pop(lanes()[lane].first_waiting, lanes()[lane].last_waiting));
    return lane;
  }
  void wake_when_free(SimTime now) {
    OutLink self{};
    Context context(ComponentId{0}, now, {}, self, timers, timers);
    turns().wake_when_free(context);
  }
};

constexpr std::uint32_t none = LaneArbiter::none;

}  // namespace

TEST_CASE("lanes that have trains waiting share a line by their weights") {
  Port port;
  for (int i = 0; i < 8; ++i)
    for (const std::uint32_t lane : {0u, 3u}) port.wait(lane);
  std::array<int, 4> sent{};
  for (int i = 0; i < 8; ++i) ++sent.at(port.send(SimTime{0}));
  CHECK(sent == std::array{6, 0, 0, 2});
}

TEST_CASE("no lane has a turn where none has a train, or before the line is free") {
  Port port(nanoseconds(10));
  CHECK(port.send(SimTime{0}) == none);
  port.wait(2);
  port.port.free_at = nanoseconds(50);
  CHECK(port.send(nanoseconds(39)) == none);
  CHECK(port.send(nanoseconds(40)) == 2);
}

TEST_CASE("a train that is not ready waits, and another lane's goes before it") {
  Port port(nanoseconds(10));
  port.wait(0, nanoseconds(100));
  CHECK(port.send(nanoseconds(89)) == none);
  port.wait(1);
  CHECK(port.send(nanoseconds(89)) == 1);
  CHECK(port.send(nanoseconds(90)) == 0);
}

TEST_CASE("a lane that the far end has no room for, or stops before it could begin, has no turn") {
  Port port;
  port.wait(0), port.wait(1);
  port.lanes()[0].allowed = 999;
  CHECK(port.send(SimTime{0}) == 1);
  CHECK(port.send(SimTime{0}) == none);
  port.lanes()[0].allowed = 1000;
  port.port.is_stoppable = true;
  port.control.at[0] = nanoseconds(50);
  CHECK(port.send(nanoseconds(50)) == none);
  CHECK(port.send(nanoseconds(49)) == 0);
}

TEST_CASE("a train has the line at once where it is near enough, no timer runs and nothing stops its lane") {
  Port port(nanoseconds(10));
  port.port.free_at = nanoseconds(50);
  CHECK_FALSE(port.turns().may_have_line(0, SimTime{0}, nanoseconds(39)));
  CHECK(port.turns().may_have_line(0, SimTime{0}, nanoseconds(40)));
  CHECK(port.turns().may_have_line(0, nanoseconds(90), nanoseconds(40)));
  port.port.is_stoppable = true;
  CHECK_FALSE(port.turns().may_have_line(0, nanoseconds(90), nanoseconds(40)));  // it begins in 50 ns
  CHECK(port.turns().may_have_line(0, nanoseconds(50), nanoseconds(40)));
  port.control.at[0] = nanoseconds(50);
  CHECK_FALSE(port.turns().may_have_line(0, nanoseconds(50), nanoseconds(40)));
  CHECK(port.turns().may_have_line(1, nanoseconds(50), nanoseconds(40)));
  port.line.wake = nanoseconds(45);
  CHECK_FALSE(port.turns().may_have_line(1, nanoseconds(50), nanoseconds(40)));
}

TEST_CASE("a timer ends when the line is near and a train is ready, and an earlier one takes its place") {
  Port port(nanoseconds(10));
  port.wake_when_free(SimTime{0});
  CHECK(port.timers.ends.empty());  // nobody waits
  port.port.free_at = nanoseconds(50);
  port.wait(0, nanoseconds(70));
  port.wake_when_free(SimTime{0});
  port.wake_when_free(SimTime{0});
  CHECK(port.timers.ends == std::vector{nanoseconds(60)});
  port.wait(1, nanoseconds(20));
  port.wake_when_free(SimTime{0});
  CHECK(port.timers.ends == std::vector{nanoseconds(60), nanoseconds(40)});
  CHECK(port.line.wake == nanoseconds(40));
}
