#include "network/health/light_losses.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>

#include "tests/support/test_model.hpp"

using namespace lightrail;

namespace {

LinkLight flapping() {
  LinkLight light;
  light.flap_interval = microseconds(100);
  light.flap_time = microseconds(20);
  light.retraining = microseconds(5);
  return light;
}

LightLosses losses(std::uint64_t seed = 1, std::uint32_t sender = 3, std::uint32_t port = 0) {
  return {seed, ComponentId{sender}, port, flapping()};
}

}  // namespace

TEST_CASE("light is away for the flap time and the training, as often as the interval says") {
  LightLosses line = losses();
  // What asks all the time waits 25 us at every loss: of 100 ms 100 / 125 are lit, in 800 +- 4 * 28 losses.
  SimTime now{}, away{};
  int count = 0;
  while (now < milliseconds(100)) {
    const SimTime fits = line.first_fit(now, SimTime{1'000});
    if (fits > now) ++count, away += fits - now;
    now = fits + SimTime{1'000};
  }
  CHECK(count == Approx(800).margin(112));
  // A wait begins up to one train before the loss.
  CHECK(away >= count * microseconds(25));
  CHECK(away <= count * (microseconds(25) + SimTime{1'000}) + microseconds(100));
}

TEST_CASE("what does not fit before a loss goes behind it, as a whole") {
  LightLosses first = losses(), second = losses();
  // The first loss of the sequence: the longest train that still fits at 0 ends there.
  const SimTime up = first.first_fit(SimTime{}, milliseconds(1) / 10);
  const SimTime down = up - microseconds(25);
  REQUIRE(down > SimTime{});
  CHECK(second.first_fit(SimTime{}, down) == SimTime{});
  CHECK(second.first_fit(SimTime{}, down + SimTime{1}) >= up);
}

TEST_CASE("the sequence is that of seed, sender and port, whoever asked when") {
  const auto at = [](LightLosses line, SimTime ask) { return line.first_fit(ask, microseconds(60)); };
  CHECK(at(losses(), milliseconds(5)) == at(losses(), milliseconds(5)));
  CHECK(at(losses(1), SimTime{}) != at(losses(2), SimTime{}));
  CHECK(at(losses(1, 3), SimTime{}) != at(losses(1, 4), SimTime{}));
  CHECK(at(losses(1, 3, 0), SimTime{}) != at(losses(1, 3, 1), SimTime{}));
  LightLosses asked = losses();
  for (int us = 0; us < 5'000; us += 7) (void)asked.first_fit(microseconds(us), SimTime{1});
  CHECK(at(asked, milliseconds(5)) == at(losses(), milliseconds(5)));
}

TEST_CASE("only a link whose light is ever lost has losses") {
  test::TestModel made;
  auto kind = std::make_shared<ComponentKind>();
  const auto spec = std::make_shared<const Spec>();
  const ComponentId a = made.add(kind, spec), b = made.add(kind, spec);
  made.connect(a, b, nanoseconds(100));
  Model model = made.build();
  CHECK_FALSE(LightLosses::of(model, LinkId{0}));
  CHECK_FALSE(LightLosses::of(model, LinkId{}));
  model.link_classes[0].light = flapping();
  auto there = LightLosses::of(model, LinkId{0}), back = LightLosses::of(model, LinkId{1});
  REQUIRE((there && back));
  // Each direction has its own.
  CHECK(there->first_fit(SimTime{}, microseconds(300)) != back->first_fit(SimTime{}, microseconds(300)));
  LightLosses same(model.seed, a, 0, flapping());
  CHECK(LightLosses::of(model, LinkId{0})->first_fit(SimTime{}, microseconds(300)) ==
        same.first_fit(SimTime{}, microseconds(300)));
}

TEST_CASE("losses go on from a saved state as if nothing had happened") {
  LightLosses one = losses(), two = losses();
  (void)one.first_fit(milliseconds(2), SimTime{1});
  StateWriter out;
  one.save(out);
  StateReader in(out.bytes());
  two.load(in);
  for (int ms = 2; ms < 10; ++ms)
    CHECK(two.first_fit(milliseconds(ms), microseconds(80)) ==
          one.first_fit(milliseconds(ms), microseconds(80)));
}
