#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "components/ocs/ocs.hpp"
#include "network/health/port_outages.hpp"
#include "tests/unit/components/ocs/ocs_star.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

std::vector<SimTime> times(OcsStar& star, std::uint32_t probe) {
  std::vector<SimTime> all;
  for (const Arrival& a : star.bed.trains(star.probes[probe])) all.push_back(a.time);
  return all;
}

}  // namespace

TEST_CASE("a serial switch joins circuit after circuit, a parallel one all together") {
  for (const bool serial : {false, true}) {
    OcsStar star(6, "");
    star.spec->serial = serial;
    star.spec->schedule = {star.change(microseconds(1), "0-1 2-3 4-5")};
    // Both directions of a circuit count once: light after 10, 20 and 30 us, or after 10 us.
    for (std::uint32_t from : {0u, 2u, 3u, 4u})
      for (int us = 2; us < 40; ++us) star.send(microseconds(us), from);
    star.bed.run();
    CHECK(times(star, 1).front() == microseconds(11) + nanoseconds(200) + (serial ? SimTime{0} : SimTime{0}));
    CHECK(times(star, 3).front() == microseconds(serial ? 21 : 11) + nanoseconds(200));
    CHECK(times(star, 2).front() == times(star, 3).front());
    CHECK(times(star, 5).front() == microseconds(serial ? 31 : 11) + nanoseconds(200));
  }
}

TEST_CASE("with dark=all every circuit is dark while one changes") {
  OcsStar star(4, "0-1");
  star.spec->dark = DarkScope::all;
  star.spec->schedule = {star.change(microseconds(5), "0-1 2-3")};
  star.send(microseconds(4), 0), star.send(microseconds(6), 0), star.send(microseconds(16), 0);
  star.bed.run();
  CHECK(times(star, 1).size() == 2);
  CHECK(star.bed.trains(star.probes[0], MessageKind::lost_train).size() == 1);
}

TEST_CASE("receivers train before a new circuit carries data") {
  OcsStar star(3, "0-1", [](LinkLight& light) { light.retraining = microseconds(100); });
  star.spec->schedule = {star.change(microseconds(5), "0-2")};
  for (int us = 6; us < 120; us += 2) star.send(microseconds(us));
  star.bed.run();
  CHECK(times(star, 2).front() == microseconds(116) + nanoseconds(200));
}

TEST_CASE("a failed port is dark, a stuck one keeps its circuit, a repaired one takes part again") {
  OcsStar star(4, "0-1 2-3");
  star.spec->faults = {{microseconds(1), 0, PortState::failed}, {microseconds(1), 2, PortState::stuck}};
  star.spec->faults.push_back({microseconds(50), 0, PortState::works});
  star.spec->schedule = {star.change(microseconds(20), "0-2 1-3"), star.change(microseconds(60), "0-1")};
  star.send(SimTime{0}, 0);
  star.send(microseconds(10), 0);  // failed
  star.send(microseconds(40), 2);  // stuck: still to 3
  star.send(microseconds(40), 1);  // 3 has light from 2, so 1 has none
  star.send(microseconds(80), 0);  // repaired and joined anew
  star.bed.run();
  CHECK(times(star, 1).size() == 2);
  CHECK(times(star, 3).size() == 1);
  CHECK(star.bed.trains(star.probes[0], MessageKind::lost_train).size() == 1);
  CHECK(star.bed.trains(star.probes[1], MessageKind::lost_train).size() == 1);
}

TEST_CASE("a port is dark until the last of its outages ends") {
  OcsStar star(2, "0-1");
  star.spec->faults = changes_of({{0, {{microseconds(10), microseconds(100)}}},
                                  {PortChange::all_ports, {{microseconds(20), microseconds(30)}}}},
                                 {}, 2);
  star.spec->schedule = {star.change(microseconds(50), "0-1"), star.change(microseconds(150), "0-1")};
  star.send(microseconds(90));  // the shorter outage is over
  star.send(microseconds(170));
  star.bed.run();
  CHECK(times(star, 1).size() == 1);
  CHECK(star.bed.trains(star.probes[0], MessageKind::lost_train).size() == 1);
}

TEST_CASE("a port that sticks while it is dark stays dark") {
  OcsStar star(2, "0-1");
  star.spec->faults =
      changes_of({{0, {{microseconds(10), microseconds(30)}}}}, {{microseconds(20), 0, PortState::stuck}}, 2);
  star.spec->schedule = {star.change(microseconds(50), "0-1")};
  star.send(SimTime{0});
  star.send(microseconds(90));
  star.bed.run();
  CHECK(times(star, 1).size() == 1);
  CHECK(star.bed.trains(star.probes[0], MessageKind::lost_train).size() == 1);
}

TEST_CASE("a whole switch that fails takes all light away") {
  OcsStar star(4, "0-1 2-3");
  star.spec->faults = {{microseconds(1), PortChange::all_ports, PortState::failed}};
  star.spec->schedule = {star.change(microseconds(20), "0-2 1-3")};
  for (std::uint32_t from = 0; from < 4; ++from)
    star.send(microseconds(5), from), star.send(microseconds(50), from);
  star.bed.run();
  for (std::uint32_t p = 0; p < 4; ++p) {
    CHECK(times(star, p).empty());
    CHECK(star.bed.trains(star.probes[p], MessageKind::lost_train).size() == 2);
  }
}

TEST_CASE("a path with too little light corrupts trains as often as its codewords fail") {
  // Level -1 dBm, loss 2 dB, needed -2.5 dBm: 0.5 dB short of the sensitivity, 3.5e-5 a codeword.
  OcsStar star(2, "0-1", [](LinkLight& light) {
    light.codeword_bytes = 640;
    light.level_dbm = -1;
    light.needed_dbm = -2.5;
    light.has_replay = true;
  });
  const int n = 20'000;
  for (int i = 0; i < n; ++i) star.send(microseconds(i), 0, 65'536);
  star.bed.run();
  const std::size_t corrupt = star.bed.trains(star.probes[0], MessageKind::corrupt_train).size();
  const double mean = n * (1 - std::pow(1 - 3.531e-5, 103));
  CHECK(static_cast<double>(corrupt) == Approx(mean).margin(4 * std::sqrt(mean)));
  CHECK(times(star, 1).size() + corrupt == static_cast<std::size_t>(n));
}

TEST_CASE("a path whose light is far too weak does not come up") {
  // 2 dB short of the sensitivity: nearly every codeword fails.
  OcsStar star(2, "0-1", [](LinkLight& light) {
    light.codeword_bytes = 640;
    light.level_dbm = -1;
    light.needed_dbm = -1;
    light.has_replay = true;
  });
  star.send(SimTime{0});
  star.bed.run();
  CHECK(times(star, 1).empty());
  CHECK(star.bed.trains(star.probes[0], MessageKind::lost_train).size() == 1);
  CHECK(star.bed.trains(star.probes[0], MessageKind::corrupt_train).empty());
}

TEST_CASE("what the switch sends on a fibre that has lost its light is lost until it has trained anew") {
  std::vector<SimTime> unsaved;
  for (const bool is_saved : {false, true}) {
    OcsStar star(2, "0>1", [](LinkLight& light) {
      light.flap_interval = microseconds(400);
      light.flap_time = microseconds(80);
      light.retraining = microseconds(20);
    });
    const int n = 20'000;
    for (int i = 0; i < n; ++i) star.send(microseconds(5 * i));
    star.bed.run(is_saved ? milliseconds(37) : time_never);
    const std::size_t lost = star.bed.trains(star.probes[0], MessageKind::lost_train).size();
    CHECK(times(star, 1).size() + lost == static_cast<std::size_t>(n));
    // A share of 100 / 500 of 100 ms in 200 flaps, whose number has a standard deviation of 11.
    CHECK(static_cast<double>(lost) / n == Approx(0.2).margin(0.03));
    std::vector<SimTime> gaps;
    const std::vector<SimTime> got = times(star, 1);
    for (std::size_t i = 1; i < got.size(); ++i)
      if (got[i] - got[i - 1] > microseconds(5)) gaps.push_back(got[i] - got[i - 1]);
    CHECK(*std::min_element(gaps.begin(), gaps.end()) >= microseconds(100));
    CHECK(static_cast<double>(gaps.size()) == Approx(200).margin(35));
    if (is_saved) CHECK(got == unsaved);
    unsaved = got;
  }
}
