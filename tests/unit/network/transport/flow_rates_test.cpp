#include "network/transport/flow_rates.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

#include "network/wire/train.hpp"

using namespace lightrail;

namespace {

constexpr BitRate line{100'000'000'000}, least{1'000'000'000};
const Address flow(EndpointId{1}, EndpointId{2}, Connection::make(0, 0, 0));
const std::uint64_t key = flow.word();

struct Rates {
  RepairSender sender{{}, 1, "nic0"};
  FlowRates rates;

  explicit Rates(SimTime window = SimTime{}) : rates(line, least, window, sender) {}
  bool send(std::uint32_t bytes, SimTime at) {
    static_cast<void>(sender.leaving(frame_of(Train{.bytes = bytes, .address = flow}), 0, at));
    return rates.sent(key, at, bytes, nanoseconds(80));
  }
};

}  // namespace

TEST_CASE("a flow has the line's rate at first, and one that sent nothing may send") {
  Rates one;
  CHECK(one.rates.next_start(key) == SimTime{0});
  CHECK(one.rates.find(key) == FlowRates::none);
  CHECK(one.send(1000, nanoseconds(500)));
  CHECK_FALSE(one.send(1000, nanoseconds(580)));
  CHECK(one.rates.rate(0) == line);
  CHECK(one.rates.next_start(key) == nanoseconds(660));
}

TEST_CASE("a train of n bytes is n / R long, also where R has changed since") {
  Rates one;
  one.send(1000, nanoseconds(500));
  one.rates.set_rate(0, 10'000'000'000);
  CHECK(one.rates.next_start(key) == nanoseconds(500 + 800));
  one.rates.set_rate(0, 40'000'000'000);
  CHECK(one.rates.next_start(key) == nanoseconds(500 + 200));
}

TEST_CASE("rates stay between the least and the line's") {
  Rates one;
  one.send(1000, SimTime{});
  one.rates.set_rate(0, 1);
  CHECK(one.rates.rate(0) == least);
  one.rates.set_rate(0, line.value * 2);
  CHECK(one.rates.rate(0) == line);
}

TEST_CASE("a window of what the line carries in a round trip shrinks with the rate") {
  // 1 us at 100 Gb/s are 12,500 B: with that on the way nothing more begins, with a byte less a train does.
  Rates one(microseconds(1));
  one.send(12'499, SimTime{});
  CHECK(one.rates.window_of(0) == 12'500);
  CHECK(one.rates.next_start(key) != time_never);
  one.send(1, SimTime{});
  CHECK(one.rates.next_start(key) == time_never);
  one.rates.set_rate(0, line.value / 5);
  CHECK(one.rates.window_of(0) == 2'500);
  CHECK(Rates().rates.next_start(key) == SimTime{0});
}

TEST_CASE("bytes are numbered along the flow by what is there and what is on the way") {
  Rates one;
  one.send(1000, SimTime{});
  one.send(500, SimTime{});
  CHECK(one.rates.acknowledged_bytes(0) == 0);
  CHECK(one.rates.sent_bytes(0) == 1500);
  static_cast<void>(one.sender.on_acknowledgement(
      {.number = 1, .address = Address(flow.to(), flow.from(), flow.connection())}, SimTime{}));
  one.rates.acknowledged(0, 1000);
  CHECK(one.rates.acknowledged_bytes(0) == 1000);
  CHECK(one.rates.sent_bytes(0) == 1500);
}

TEST_CASE("rates are part of the state") {
  Rates one, other;
  one.send(1000, nanoseconds(100));
  one.rates.set_rate(0, 10'000'000'000);
  StateWriter out;
  one.rates.save(out);
  StateReader in(out.bytes());
  other.rates.load(in);
  CHECK(in.is_at_end());
  CHECK(other.rates.next_start(key) == one.rates.next_start(key));
  CHECK(other.rates.rate(0).value == 10'000'000'000);
}
