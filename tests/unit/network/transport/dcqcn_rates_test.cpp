#include "network/transport/dcqcn_rates.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>

#include "engine/base/transfer_time.hpp"

using namespace lightrail;

namespace {

constexpr std::int64_t line = 400'000'000'000;
constexpr std::uint64_t flow = 7, other = 8;

/// Timers alone, g = 1/256.
DcqcnSpec timed() {
  DcqcnSpec spec;
  spec.gain = 1.0 / 256;
  spec.increase_bytes = Bytes{0};
  spec.additive = BitRate{1'000'000'000}, spec.hyper = BitRate{10'000'000'000};
  return spec;
}

double gigabits(BitRate rate) {
  return static_cast<double>(rate.value) / 1e9;
}

/// What is left of a rate after a cut when the estimate has been renewed n times without a notice since 1.
double kept(int n) {
  return 1 - std::pow(255.0 / 256, n) / 2;
}

}  // namespace

TEST_CASE("a flow that has had no notice has the line's rate and does not pause") {
  const DcqcnSpec spec = timed();
  DcqcnRates rates(spec, BitRate{line});
  rates.sent(flow, SimTime{0}, 4096, SimTime{81'920});
  CHECK(rates.next_start(flow, microseconds(10)) == SimTime{0});
  CHECK(rates.rate_of(flow, microseconds(10)).value == line);
}

TEST_CASE("the first notice cuts when the timer of the decrease ends, by half of the estimate") {
  const DcqcnSpec spec = timed();
  DcqcnRates rates(spec, BitRate{line});
  rates.slow_down(flow, 1, nanoseconds(500));
  CHECK(rates.rate_of(flow, nanoseconds(4499)).value == line);
  // The estimate began at 1 and has been renewed four times, each before the cut.
  CHECK(gigabits(rates.rate_of(flow, nanoseconds(4500))) == Approx(400 * kept(4)).epsilon(1e-5));
  CHECK(rates.rate_of(other, nanoseconds(4500)).value == line);
}

TEST_CASE("without further notices each step by time goes half of the way back to the line") {
  const DcqcnSpec spec = timed();
  DcqcnRates rates(spec, BitRate{line});
  rates.slow_down(flow, 1, SimTime{0});
  const double gap = 400 * (1 - kept(4));
  for (int k = 0; k <= 8; ++k) {
    const SimTime at = microseconds(4 + 300 * k);
    CHECK(gigabits(rates.rate_of(flow, at)) == Approx(400 - gap / std::pow(2, k)).epsilon(1e-5));
    CHECK(gigabits(rates.rate_of(flow, at + nanoseconds(299'999))) ==
          Approx(400 - gap / std::pow(2, k)).epsilon(1e-5));
  }
  CHECK(rates.rate_of(flow, milliseconds(100)).value == line);
}

TEST_CASE("behind the fast steps the target grows by the additive step once, then by hyper steps") {
  const DcqcnSpec spec = timed();
  DcqcnRates rates(spec, BitRate{line});
  rates.slow_down(flow, 1, SimTime{0});
  // A step at 304 us; a notice then, and the next cut at 308 us takes the rate as its target.
  const double first = 400 * kept(4), up = (first + 400) / 2;
  rates.slow_down(flow, 1, microseconds(304));
  // 304 renewals without a notice; the one at 305 us has it, those at 306, 307 and 308 us have none.
  const double a = std::pow(255.0 / 256, 304) * 255 / 256 + 1.0 / 256;
  const double cut = up * (1 - a * std::pow(255.0 / 256, 3) / 2);
  CHECK(gigabits(rates.rate_of(flow, microseconds(308))) == Approx(cut).epsilon(5e-4));
  const double one = (cut + up) / 2;  // F = 1
  CHECK(gigabits(rates.rate_of(flow, microseconds(608))) == Approx(one).epsilon(5e-4));
  const double two = (one + up + 1) / 2;
  CHECK(gigabits(rates.rate_of(flow, microseconds(908))) == Approx(two).epsilon(5e-4));
  const double three = (two + up + 1 + 10) / 2;
  CHECK(gigabits(rates.rate_of(flow, microseconds(1208))) == Approx(three).epsilon(5e-4));
}

TEST_CASE("with clamps the target falls at every cut") {
  for (const bool clamps : {false, true}) {
    DcqcnSpec spec = timed();
    spec.clamps = clamps;
    DcqcnRates rates(spec, BitRate{line});
    rates.slow_down(flow, 1, SimTime{0});
    rates.slow_down(flow, 1, microseconds(5));
    const double second = gigabits(rates.rate_of(flow, microseconds(8)));
    const double target = clamps ? 400 * kept(4) : 400;
    CHECK(gigabits(rates.rate_of(flow, microseconds(308))) == Approx((second + target) / 2).epsilon(5e-4));
  }
}

TEST_CASE("bytes make steps too, and a flow pauses until its train is sent at its rate") {
  DcqcnSpec spec = timed();
  spec.increase_bytes = Bytes{1'000'000};
  DcqcnRates rates(spec, BitRate{line});
  rates.slow_down(flow, 1, SimTime{0});
  const double cut = 400 * kept(4);
  rates.sent(flow, microseconds(4), 999'999, SimTime{1});
  CHECK(rates.next_start(flow, microseconds(4)) ==
        microseconds(4) + transfer_time(Bytes{999'999}, rates.rate_of(flow, microseconds(4))));
  CHECK(gigabits(rates.rate_of(flow, microseconds(5))) == Approx(cut).epsilon(1e-5));
  rates.sent(flow, microseconds(50), 1, SimTime{1});
  CHECK(gigabits(rates.rate_of(flow, microseconds(51))) == Approx((cut + 400) / 2).epsilon(1e-5));
}

TEST_CASE("a pause ends earlier when the rate has grown in the meantime") {
  const DcqcnSpec spec = timed();
  DcqcnRates rates(spec, BitRate{line});
  rates.slow_down(flow, 1, SimTime{0});
  rates.sent(flow, microseconds(4), 40'000'000, SimTime{1});
  const BitRate slow = rates.rate_of(flow, microseconds(4));
  REQUIRE(transfer_time(Bytes{40'000'000}, slow) > microseconds(1500));
  CHECK(rates.next_start(flow, microseconds(10)) == microseconds(304));  // the step upwards
  const BitRate faster = rates.rate_of(flow, microseconds(1300));
  CHECK(rates.next_start(flow, microseconds(1300)) ==
        std::min(microseconds(4 + 1500), microseconds(4) + transfer_time(Bytes{40'000'000}, faster)));
}

TEST_CASE("no flow is slower than the least rate") {
  DcqcnSpec spec = timed();
  spec.least = BitRate{50'000'000'000};
  DcqcnRates rates(spec, BitRate{line});
  for (int us = 0; us < 200; ++us) rates.slow_down(flow, 1, microseconds(us));
  CHECK(rates.rate_of(flow, microseconds(200)).value == 50'000'000'000);
}

TEST_CASE("to look often or seldom gives the same, also after a long silence and a checkpoint") {
  const DcqcnSpec spec;
  DcqcnRates often(spec, BitRate{line}), seldom(spec, BitRate{line}), loaded(spec, BitRate{line});
  for (DcqcnRates* rates : {&often, &seldom})
    for (const int us : {0, 3, 100, 104, 900}) rates->slow_down(flow, 1, microseconds(us));
  StateWriter out;
  seldom.save(out);
  StateReader in(out.bytes());
  loaded.load(in);
  for (int us = 901; us < 5000; ++us) static_cast<void>(often.rate_of(flow, microseconds(us)));
  for (const SimTime at : {microseconds(5000), milliseconds(70'000)}) {
    const std::int64_t rate = often.rate_of(flow, at).value;
    CHECK(seldom.rate_of(flow, at).value == rate);
    CHECK(loaded.rate_of(flow, at).value == rate);
    for (DcqcnRates* rates : {&often, &seldom, &loaded}) rates->slow_down(flow, 1, at);
  }
}
