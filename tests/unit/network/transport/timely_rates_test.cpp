// TIMELY's equations, step by step against values by hand.
#include "network/transport/timely_rates.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

#include "tests/support/answered_flow.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr BitRate line{100'000'000'000};

struct Sender {
  TimelySpec spec;
  RepairSender sender{{}, 1, "nic0"};
  TimelyRates rates;
  AnsweredFlow flow;

  explicit Sender(TimelySpec own = {}) : spec(own), rates(spec, line, sender) { hear(microseconds(60)); }
  /// A round trip that took `time`, of one packet.
  void hear(SimTime time) {
    flow.send(sender, rates, SimTime{});
    flow.acknowledge(sender, rates, 1, false, time, SimTime{});
  }
  /// In Mb/s; rounded.
  [[nodiscard]] std::int64_t rate() const { return (rates.rate_of(flow.key()).value + 500'000) / 1'000'000; }
};

}  // namespace

TEST_CASE("the first round trip is only kept") {
  const Sender one;
  CHECK(one.rate() == 100'000);
}

TEST_CASE("a round trip that grew cuts by beta times the average difference over the least one") {
  // d = 0.875 * 10 us = 8.75 us, G = 8.75 / 20, R = 100 Gb/s (1 - 0.8 * 0.4375) = 65 Gb/s;
  // then d = 0.125 * 8.75 + 0.875 * 4 = 4.59375 us, G = 0.2296875, R = 65 (1 - 0.18375) = 53.056 Gb/s.
  Sender one;
  one.hear(microseconds(70));
  CHECK(one.rate() == 65'000);
  one.hear(microseconds(74));
  CHECK(one.rate() == 53'056);
}

TEST_CASE("a round trip that shrank adds a step, however long it is below T_high") {
  // d = 0.875 * 40 us = 35 us: G = 1.75, beta G = 1.4, cut to the least rate.
  Sender one;
  one.hear(microseconds(100));
  CHECK(one.rate() == 1'000);
  // d = 0.125 * 35 - 0.875 * 10 = -4.375 us.
  one.hear(microseconds(90));
  CHECK(one.rate() == 1'100);
}

TEST_CASE("behind five steps in a row they are larger, until a cut") {
  Sender one;
  one.hear(microseconds(100));
  for (std::int64_t i = 1; i <= 5; ++i) {
    one.hear(microseconds(40));
    CHECK(one.rate() == 1'000 + 100 * i);
  }
  one.hear(microseconds(40));
  CHECK(one.rate() == 2'000);
  one.hear(microseconds(40));
  CHECK(one.rate() == 2'500);
  one.hear(microseconds(400));  // below T_high, and grown by far more than the least round trip
  CHECK(one.rate() == 1'000);
  one.hear(microseconds(40));
  CHECK(one.rate() == 1'100);
}

TEST_CASE("below T_low a rate grows although round trips do") {
  Sender one;
  one.hear(microseconds(100));
  one.hear(microseconds(10));
  CHECK(one.rate() == 1'100);
  one.hear(microseconds(49));
  CHECK(one.rate() == 1'200);
}

TEST_CASE("above T_high a rate is cut although round trips shrink: by beta (1 - T_high / r)") {
  // r = 800 us: 0.8 (1 - 500 / 800) = 0.3, whatever d. r = 1 ms before: 0.4.
  Sender one;
  one.hear(microseconds(1000));
  CHECK(one.rate() == 60'000);
  one.hear(microseconds(800));
  CHECK(one.rate() == 42'000);
}

TEST_CASE("a rate changes once in a round trip") {
  // Three packets on the way at the first answer; the fourth was sent behind it.
  Sender one;
  for (int i = 0; i < 3; ++i) one.flow.send(one.sender, one.rates, SimTime{});
  one.flow.acknowledge(one.sender, one.rates, 1, false, microseconds(70), SimTime{});
  CHECK(one.rate() == 65'000);
  one.flow.send(one.sender, one.rates, SimTime{});
  one.flow.acknowledge(one.sender, one.rates, 2, false, microseconds(200), SimTime{});
  CHECK(one.rate() == 65'000);
  one.flow.acknowledge(one.sender, one.rates, 1, false, microseconds(74), SimTime{});
  CHECK(one.rate() == 53'056);
}

TEST_CASE("a packet that was sent twice says nothing of a round trip") {
  Sender one;
  one.flow.send(one.sender, one.rates, SimTime{});
  one.flow.acknowledge(one.sender, one.rates, 1, false, {}, SimTime{});
  CHECK(one.rate() == 100'000);
  one.hear(microseconds(70));
  CHECK(one.rate() == 65'000);
}

TEST_CASE("rates and differences of TIMELY are part of the state") {
  Sender own, other;
  own.hear(microseconds(70));
  StateWriter out;
  own.rates.save(out);
  own.sender.save(out);
  StateReader in(out.bytes());
  other.rates.load(in);
  other.sender.load(in);
  other.flow = own.flow;
  CHECK(in.is_at_end());
  own.hear(microseconds(74)), other.hear(microseconds(74));
  CHECK(other.rate() == own.rate());
  CHECK(other.rate() == 53'056);
}
