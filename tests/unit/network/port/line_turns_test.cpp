#include "network/port/line_turns.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace lightrail;

namespace {

constexpr SimTime packet = nanoseconds(80), busy = nanoseconds(2);

}  // namespace

TEST_CASE("a frame waits for the packet that is on the line, not for those behind it") {
  // Packets from 0 to 800 ns; at 100 ns the second one has 60 ns to go.
  LineTurns turns;
  CHECK(turns.place_frame(nanoseconds(100), nanoseconds(800), packet, busy) == nanoseconds(160));
  // That frame moves the others by 2 ns: the next one is behind it, not before.
  CHECK(turns.place_frame(nanoseconds(100), nanoseconds(802), packet, busy) == nanoseconds(162));
  CHECK(turns.place_frame(nanoseconds(161), nanoseconds(804), packet, busy) == nanoseconds(164));
}

TEST_CASE("a frame that finds the line free has it at once") {
  LineTurns turns;
  CHECK(turns.place_frame(nanoseconds(100), nanoseconds(100), packet, busy) == nanoseconds(100));
  turns.busy_from = nanoseconds(300);  // what has the line has not begun
  CHECK(turns.place_frame(nanoseconds(200), nanoseconds(380), packet, busy) == nanoseconds(200));
}

TEST_CASE("where a line's turns stand is saved") {
  LineTurns one, other;
  one.ahead = other.ahead = nanoseconds(7);
  static_cast<void>(one.place_frame(nanoseconds(100), nanoseconds(800), packet, busy));
  one.wake = nanoseconds(5), one.waiting[3] = 4096, one.busy_from = nanoseconds(1);
  StateWriter out, again;
  one.save(out);
  StateReader in(out.bytes());
  other.load(in);
  other.save(again);
  CHECK(std::vector<std::byte>(out.bytes().begin(), out.bytes().end()) ==
        std::vector<std::byte>(again.bytes().begin(), again.bytes().end()));
  CHECK(other.place_frame(nanoseconds(100), nanoseconds(802), packet, busy) == nanoseconds(162));
}
