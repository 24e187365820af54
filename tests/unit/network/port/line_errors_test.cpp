#include <catch2/catch.hpp>

#include <cmath>

#include "components/switch/switch.hpp"
#include "network/port/line_errors.hpp"
#include "tests/support/network_bed.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// Where LineErrors are built: a probe of a small model.
struct Place {
  NetworkBed bed;
  Model* model;
  ComponentId probe;
  Place() {
    probe = bed.add_endpoint();
    model = &bed.finish_model();
  }
  BuildContext build() {
    const ComponentRecord& record = model->components[probe.value];
    return {probe, record, *model->specs[record.spec], *model};
  }
};

LinkLight weak(double failure) {
  LinkLight light;
  light.codeword_failure = failure;
  light.codeword_bytes = 640;
  light.replay_latency = nanoseconds(1000);
  return light;
}

}  // namespace

TEST_CASE("a train fails when any of its codewords does") {
  // 4096 B are 6.4, so 7 codewords.
  CHECK(train_failure(0.01, 640, 4096) == Approx(1 - std::pow(0.99, 7)));
  CHECK(train_failure(1e-200, 640, 640) == Approx(1e-200));
  CHECK(train_failure(0.5, 0, 4096) == 0);
}

TEST_CASE("trains that fail are sent again after the way there and back, as often as their length says") {
  Place place;
  LineErrors errors(place.build(), 0, weak(0.01), 4096);
  const int n = 20'000;
  for (int i = 0; i < n; ++i) {
    const SimTime delay = errors.last_start(SimTime{0}, nanoseconds(100), 4096);
    REQUIRE(delay.count() % nanoseconds(1100).count() == 0);
  }
  // Each attempt fails with q: q / (1 - q) replays a train in the mean.
  const double q = 1 - std::pow(0.99, 7), mean = n * q / (1 - q);
  CHECK(static_cast<double>(errors.replays()) == Approx(mean).margin(4 * std::sqrt(mean)));
}

TEST_CASE("a flap stops the line until light is back and the receiver trained") {
  Place place;
  LinkLight light;
  light.flap_interval = microseconds(100);
  light.flap_time = microseconds(20);
  light.retraining = microseconds(5);
  LineErrors errors(place.build(), 0, light, 4096);
  // A line that is asked all the time: the gaps that are not its own serialisation are flaps of 25 us or
  // more.
  SimTime now{0}, down{0};
  int flaps = 0;
  while (now < milliseconds(100)) {
    const SimTime start = errors.last_start(now, nanoseconds(100), 4096);
    if (start > now) ++flaps, down += start - now;
    now = start + nanoseconds(100);
  }
  // 100 ms / (100 + 25) us = 800 flaps, standard deviation about 24.
  CHECK(flaps == Approx(800).margin(100));
  CHECK(down.count() == Approx(static_cast<double>(flaps) * 25e6).epsilon(0.01));
}

TEST_CASE("a line that loses nearly everything is refused") {
  Place place;
  CHECK_THROWS_WITH(LineErrors(place.build(), 3, weak(0.1), 65'536),
                    Catch::Contains("% of the trains of 65536 B on the line of port 3 would fail") &&
                        Catch::Contains("the light is too weak"));
}

TEST_CASE("errors continue from a saved state as if nothing had happened") {
  Place place;
  LinkLight light = weak(0.02);
  light.flap_interval = microseconds(50);
  light.flap_time = microseconds(1);
  LineErrors one(place.build(), 0, light, 4096), two(place.build(), 0, light, 4096);
  SimTime now{0};
  for (int i = 0; i < 1000; ++i) now = one.last_start(now, nanoseconds(100), 4096) + nanoseconds(100);
  StateWriter out;
  one.save(out);
  StateReader in(out.bytes());
  two.load(in);
  for (int i = 0; i < 1000; ++i) {
    const SimTime next = one.last_start(now, nanoseconds(100), 4096);
    REQUIRE(two.last_start(now, nanoseconds(100), 4096) == next);
    now = next + nanoseconds(100);
  }
}
