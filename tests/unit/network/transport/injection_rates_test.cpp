#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "engine/model/state_io.hpp"
#include "network/transport/injection_rates.hpp"

using namespace lightrail;

namespace {

/// Pauses of 0, 1, 2 ... 9 packets; the timer ends each microsecond.
CongestionControl control(std::uint32_t minimum = 0) {
  CongestionSpec spec;
  spec.increase = 2, spec.limit = 9, spec.minimum = minimum, spec.timer = microseconds(1);
  std::vector<RateEntry> table;
  for (std::uint32_t i = 0; i < 10; ++i) table.push_back({i, 0});
  return {spec, table};
}
constexpr std::uint64_t flow = 77, other = 78;
constexpr SimTime line{80};

}  // namespace

TEST_CASE("a flow without notices never pauses") {
  const CongestionControl settings = control();
  InjectionRates rates(settings);
  rates.sent(flow, SimTime{0}, 0, line);
  CHECK(rates.next_start(flow, SimTime{0}) == SimTime{0});
}

TEST_CASE("a notice slows its flow alone, to 1 / (1 + pause) of the line") {
  const CongestionControl settings = control();
  InjectionRates rates(settings);
  rates.slow_down(flow, 2, SimTime{10});  // 2 marks of 2 each
  CHECK(rates.index_of(flow, SimTime{10}) == 4);
  CHECK(rates.index_of(other, SimTime{10}) == 0);
  SimTime at{100};
  for (int k = 0; k < 5; ++k) {
    rates.sent(flow, at, 0, line);
    REQUIRE(rates.next_start(flow, SimTime{0}) == at + 5 * line);
    at = rates.next_start(flow, SimTime{0});
  }
  CHECK(rates.next_start(other, SimTime{0}) == SimTime{0});
}

TEST_CASE("the timer, which runs from the beginning, takes one off an index each time it ends") {
  const CongestionControl settings = control();
  InjectionRates rates(settings);
  rates.slow_down(flow, 100, nanoseconds(1900));
  CHECK(rates.index_of(flow, nanoseconds(1999)) == 9);  // the limit
  CHECK(rates.index_of(flow, nanoseconds(2000)) == 8);
  CHECK(rates.index_of(flow, nanoseconds(4999)) == 6);
  rates.slow_down(flow, 1, nanoseconds(4999));
  CHECK(rates.index_of(flow, nanoseconds(4999)) == 8);
  CHECK(rates.index_of(flow, nanoseconds(5000)) == 7);
  CHECK(rates.index_of(flow, microseconds(50)) == 0);
  rates.sent(flow, microseconds(50), 0, line);
  CHECK(rates.next_start(flow, SimTime{0}) == SimTime{0});  // forgotten
}

TEST_CASE("a least index is where flows begin and end") {
  const CongestionControl settings = control(3);
  InjectionRates rates(settings);
  rates.sent(flow, SimTime{0}, 0, line);
  CHECK(rates.next_start(flow, SimTime{0}) == 4 * line);
  rates.slow_down(flow, 1, SimTime{0});
  CHECK(rates.index_of(flow, SimTime{0}) == 5);
  CHECK(rates.index_of(flow, microseconds(9)) == 3);
}

TEST_CASE("rates that are saved and loaded are the same") {
  const CongestionControl settings = control();
  InjectionRates rates(settings);
  for (std::uint64_t f = 0; f < 20; ++f)
    rates.slow_down(f, 1, SimTime{0}), rates.sent(f, SimTime{0}, 0, line);
  for (std::uint64_t f = 0; f < 20; f += 2) rates.sent(f, microseconds(9), 0, line);  // forgotten again
  InjectionRates again(settings);
  StateWriter out;
  rates.save(out);
  StateReader in(out.bytes());
  again.load(in);
  for (std::uint64_t f = 0; f < 20; ++f)
    CHECK(again.next_start(f, SimTime{0}) == rates.next_start(f, SimTime{0}));
  again.slow_down(100, 1, microseconds(9));
  CHECK(again.index_of(100, microseconds(9)) == 2);
}
