// Closed forms of NSCC on a line of 100 Gb/s with a round trip of 12 us: a = 1, B = 150,000 B, target 9 us,
// W = 225,000 B at first.
#include "network/transport/nscc_windows.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace lightrail;

namespace {

constexpr std::int64_t mtu = 4096, first = 225'000;
constexpr SimTime base = microseconds(12);
const Address flow(EndpointId{1}, EndpointId{2}, Connection::make(0, 0, 0));
const std::uint64_t key = flow.word();

struct Window {
  NsccSpec spec;
  RepairSender sender{{.repair = LossRepair::trimming}, 1, "nic0"};
  NsccWindows windows;

  explicit Window(double delay_gain = 1)
      : spec{.base_rtt = base, .delay_gain = delay_gain},
        windows(spec, BitRate{100'000'000'000}, mtu, mtu, sender) {
    send();
  }
  void send() {
    static_cast<void>(sender.leaving(frame_of(Train{.bytes = mtu, .address = flow}), 0, SimTime{}));
    windows.sent(key, SimTime{}, mtu, nanoseconds(328));
  }
  void hear(std::int64_t delay_us, bool is_marked, SimTime now = nanoseconds(1)) {
    windows.acknowledged(key, mtu, base + microseconds(delay_us), is_marked, now);
  }
  /// Down from its largest, so that there is room to grow.
  std::int64_t lower(std::int64_t packets) {
    for (std::int64_t i = 0; i < packets; ++i) windows.timed_out(key, mtu);
    return window();
  }
  [[nodiscard]] std::int64_t window() const { return windows.window_of(key); }
};

}  // namespace

TEST_CASE("a flow begins with one and a half times what the line carries in a round trip") {
  const Window one;
  CHECK(one.window() == first);
  CHECK(one.windows.window_of(key + 1) == 0);
}

TEST_CASE("a shorter round trip is the flow's own, and its largest window shrinks with it") {
  Window one;
  one.windows.acknowledged(key, mtu, microseconds(8), false, nanoseconds(1));
  CHECK(one.window() == first * 2 / 3);
}

TEST_CASE("below the target a window grows in proportion to what is left of it, every nine packets") {
  for (const std::int64_t delay : {2, 5, 8}) {
    Window one;
    const std::int64_t before = one.lower(20);
    CHECK(before == first - 20 * mtu);
    for (int i = 0; i < 8; ++i) one.hear(delay, false);
    CHECK(one.window() == before);
    one.hear(delay, false);
    // Of each packet 4 mss n (target - d) / 12 us, all of them over W.
    CHECK(one.window() == before + 9 * (4 * mtu * mtu * (9 - delay) / 12) / before);
  }
}

TEST_CASE("beyond the target without marks it grows by five packets a round trip") {
  Window one;
  const std::int64_t before = one.lower(20);
  for (int i = 0; i < 9; ++i) one.hear(10, false);
  CHECK(one.window() == before + 9 * 5 * mtu * mtu / before);
}

TEST_CASE("without delay it grows by a quarter of what comes, when a window has come so") {
  Window one;
  std::int64_t before = one.lower(40), calm = 0;
  const auto hear = [&] {
    calm += mtu;
    before = one.window();
    one.windows.acknowledged(key, mtu, base, false, SimTime{});
  };
  for (hear(); calm <= before; hear()) CHECK(one.window() - before < mtu / 4 * 9);
  CHECK(one.window() >= before + mtu / 4);
  for (int i = 0; i < 9; ++i) hear();  // what grew in proportion before has been applied by then
  hear();
  CHECK(one.window() == before + mtu / 4);
  one.hear(2, false);  // no longer
  before = one.window();
  one.hear(2, false);
  CHECK(one.window() == before);
}

TEST_CASE("once a round trip 0.15 packets come to it") {
  Window one;
  const std::int64_t before = one.lower(20);
  one.hear(9, true, base + nanoseconds(1));  // marked at the target: D is no more than it, so nothing is cut
  CHECK(one.window() == before + 15 * mtu / 100);
}

TEST_CASE("marks cut it by the excess of the average delay, to half at most, and once in a round trip") {
  // gamma 0.8: 1 - 0.8 (D - 9) / D, in 2^-16.
  for (const std::int64_t delay : {10, 18, 35}) {
    Window one;
    one.hear(delay, true, base + nanoseconds(1));
    const std::int64_t off = 52'429 * (delay - 9) / delay;
    const std::int64_t cut = first * std::max<std::int64_t>(65'536 - off, 32'768) / 65'536;
    CHECK(one.window() == cut + 15 * mtu / 100);  // and a round trip has passed
    one.hear(delay, true, base + nanoseconds(2));
    CHECK(one.window() == cut + 15 * mtu / 100);
  }
}

TEST_CASE("marks below the target change nothing") {
  Window one;
  const std::int64_t before = one.lower(20);
  for (int i = 0; i < 9; ++i) one.hear(5, true);
  CHECK(one.window() == before);
}

TEST_CASE("the average takes a part of each delay, and a quarter of a round trip for what is not marked") {
  // Delays of 18 us without marks count as 3 us: nothing is cut when a mark comes.
  Window one(0.5);
  one.lower(20);
  for (int i = 0; i < 30; ++i) one.hear(18, false);
  const std::int64_t before = one.window();
  one.hear(9, true, base - nanoseconds(1));
  CHECK(one.window() == before);
}

TEST_CASE("a trimmed packet costs its bytes; where little came in a round trip the window is what came") {
  Window one;
  one.windows.trimmed(key, mtu, nanoseconds(1));  // the first round trip ends 21 us later
  CHECK(one.window() == first - mtu);
  one.windows.trimmed(key, mtu, microseconds(2));
  CHECK(one.window() == first - 2 * mtu);
  for (int i = 0; i < 3; ++i) one.hear(5, false, microseconds(3));
  for (int i = 0; i < 10; ++i) one.send();
  one.windows.trimmed(key, mtu, microseconds(22));
  CHECK(one.window() == 3 * mtu);
  // What is on the way was sent by the old window: its marks say nothing of the new one.
  one.hear(20, true, microseconds(40));
  CHECK(one.window() == 3 * mtu);
}

TEST_CASE("where much came in a round trip a trimmed packet costs its bytes alone") {
  Window one;
  one.windows.trimmed(key, mtu, nanoseconds(1));
  for (int i = 0; i < 8; ++i) one.hear(5, true, microseconds(3));  // 32,768 B are more than 225,000 / 8
  const std::int64_t before = one.window();
  one.windows.trimmed(key, mtu, microseconds(22));
  CHECK(one.window() == before - mtu);
}

TEST_CASE("a flow is shut while its window is full, and open while nothing is on the way") {
  Window one;
  one.lower(200);
  CHECK(one.window() == mtu);
  CHECK(one.windows.next_start(key, SimTime{}) == time_never);
  const Address back(flow.to(), flow.from(), flow.connection());
  static_cast<void>(one.sender.on_acknowledgement(
      {.kind = MessageKind::selective_acknowledgement, .number = 0, .address = back}, SimTime{}));
  CHECK(one.sender.in_flight(key) == 0);
  CHECK(one.windows.next_start(key, SimTime{}) == SimTime{0});
  Window wide;
  for (int i = 1; i < first / mtu; ++i) {
    CHECK(wide.windows.next_start(key, SimTime{}) == SimTime{0});
    wide.send();
  }
  CHECK(wide.windows.next_start(key, SimTime{}) == time_never);
}

TEST_CASE("a flow whose numbers are all on the way is shut, however wide its window") {
  constexpr std::uint32_t values = 256;
  RepairSender sender({.repair = LossRepair::trimming, .entropy_values = values}, 1, "nic0");
  const NsccSpec spec{.base_rtt = base};
  NsccWindows windows(spec, BitRate{100'000'000'000}, mtu, mtu, sender);
  windows.sent(key, SimTime{}, 1, SimTime{});
  for (int k = 0; k < 127; ++k) {
    CHECK(windows.next_start(key, SimTime{}) == SimTime{0});
    static_cast<void>(sender.leaving(frame_of(Train{.bytes = 1, .address = flow}), 0, SimTime{}));
  }
  CHECK(sender.in_flight(key) + mtu <= windows.window_of(key));
  CHECK(windows.next_start(key, SimTime{}) == time_never);
}

TEST_CASE(
    "the largest window is max-window times what the line carries in base-rtt, in trains of full length") {
  // 100 Gb/s in 12 us: 150,000 B, 1.5 of them 54.9 packets of 4 KiB.
  const NsccSpec spec{.base_rtt = microseconds(12)};
  CHECK(NsccWindows::largest_trains(spec, BitRate{100'000'000'000}, 4096) == 54);
  CHECK(NsccWindows::largest_trains(spec, BitRate{100'000'000'000}, 12 * 4096) == 4);
  CHECK(NsccWindows::largest_trains(spec, BitRate{100'000'000'000}, 1 << 30) == 1);
}

TEST_CASE("windows are saved") {
  Window one, other;
  one.hear(18, true, base + nanoseconds(1));
  StateWriter out, again;
  one.windows.save(out);
  StateReader in(out.bytes());
  other.windows.load(in);
  other.windows.save(again);
  CHECK(std::vector<std::byte>(out.bytes().begin(), out.bytes().end()) ==
        std::vector<std::byte>(again.bytes().begin(), again.bytes().end()));
  CHECK(other.window() == one.window());
}
