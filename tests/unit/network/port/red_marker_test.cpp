#include "network/port/red_marker.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "network/port/tables.hpp"
#include "tests/support/ethernet_star.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr std::int64_t kmin = 4'000'000, kmax = 12'000'000;
constexpr double pmax = 0.2;

/// RED's formula.
double probability(double queue) {
  if (queue <= kmin) return 0;
  return queue > kmax ? 1 : pmax * (queue - kmin) / (kmax - kmin);
}

/// One sender at 400 Gb/s to a sink at 200 Gb/s, and a memory that never pauses: the k-th packet finds half
/// of the k before it, as each has gone out half when the next comes in.
struct Ramp {
  EthernetStar star;
  std::int64_t packets;

  explicit Ramp(std::int64_t count, std::uint32_t grain = 1) : packets(count) {
    star.grain = grain;
    star.cable_gbps = {400, 200};
    star.spec->alpha = 0;
    star.spec->buffer = Bytes{200'000'000};
    star.spec->ecn = {{.lane = 0, .kmin = Bytes{kmin}, .kmax = Bytes{kmax}, .pmax = pmax}};
    star.build(2);
    star.bed.record(milliseconds(1));
    star.post(0, 1, static_cast<std::uint32_t>(4096 * packets));
  }
  struct Marks {
    std::int64_t seen = 0, marked = 0;
  };
  Marks run(SimTime save_at = time_never) {
    star.bed.run(save_at);
    for (const Row& row : star.bed.rows(tables::ecn))
      if (row.component == star.device && row.values[0] == 1) return {row.values[2], row.values[3]};
    return {};
  }
  /// Expected marks, and their standard deviation.
  [[nodiscard]] std::pair<double, double> expected() const {
    double mean = 0, variance = 0;
    for (std::int64_t k = 0; k < packets; ++k) {
      const double p = probability(static_cast<double>(k) * 4096 / 2);
      mean += p, variance += p * (1 - p);
    }
    return {mean, std::sqrt(variance)};
  }
};

}  // namespace

TEST_CASE("packets are marked as often as RED's formula says") {
  // Below kmin, on the slope, and beyond kmax.
  for (const std::int64_t packets : {1'900, 5'000, 8'000}) {
    Ramp ramp(packets);
    const auto marks = ramp.run();
    const auto [mean, deviation] = ramp.expected();
    INFO(packets << " packets, expected " << mean << " +- " << deviation);
    CHECK(std::abs(static_cast<double>(marks.marked) - mean) <= 4 * deviation + 2);
    if (mean > 0) CHECK(marks.seen == packets);
  }
}

TEST_CASE("packets of trains are drawn one by one") {
  Ramp ramp(5'008, 16);
  const auto [mean, deviation] = ramp.expected();
  CHECK(std::abs(static_cast<double>(ramp.run().marked) - mean) <= 4 * deviation + 0.02 * mean);
}

TEST_CASE("draws are of the switch's own count, which is saved") {
  Ramp once(6'000), twice(6'000);
  CHECK(once.run().marked == twice.run(microseconds(400)).marked);
}

TEST_CASE("thresholds for another rate grow and shrink with that of the port") {
  Ramp ramp(1);
  ramp.star.spec->ecn[0].rate = BitRate{800 * EthernetStar::giga};
  const Model& model = ramp.star.bed.finish_model();
  const BuildContext build{ramp.star.device, model.components[ramp.star.device.value], *ramp.star.spec,
                           model};
  const RedMarker marker(build, ramp.star.spec->ecn, 1);
  const auto half = static_cast<std::uint64_t>(std::llround(std::ldexp(pmax, 32))) / 2;
  // Half of the slope: 8 MB at 800 Gb/s, 4 MB at 400, 2 MB at 200.
  CHECK(marker.probability(0, 0, 4'000'000) == half);
  CHECK(marker.probability(1, 0, 2'000'000) == half);
  CHECK(marker.probability(1, 0, 1'000'000) == 0);
  CHECK(marker.probability(1, 0, 3'000'001) == std::uint64_t{1} << 32);
}

TEST_CASE("mistakes of <ecn> have their place") {
  Element element, ecn;
  element.name = "ethernet-switch", ecn.name = "ecn";
  const auto problem = [&](const char* lane, const char* low, const char* high) -> std::string {
    ecn.attributes = {{"lane", lane, "x.xml", 7},
                      {"kmin", low, "x.xml", 8},
                      {"kmax", high, "x.xml", 9},
                      {"pmax", "0.1", "x.xml", 9}};
    element.children = {ecn};
    ErrorList errors;
    static_cast<void>(read_ecn(element, 2, errors));
    try {
      errors.throw_if_any();
    } catch (const InputErrors& e) {
      return to_string(e.errors().front());
    }
    return "";
  };
  CHECK(problem("1", "10 kB", "20 kB").empty());
  CHECK(problem("2", "10 kB", "20 kB") ==
        "x.xml:7: <ecn> attribute 'lane': there is no class 2: the device has 2 lanes");
  CHECK(problem("0", "20 kB", "20 kB").empty());
  CHECK(problem("0", "30 kB", "20 kB") == "x.xml:8: <ecn> attribute 'kmin': 30 kB is more than kmax (20 kB)");
}
