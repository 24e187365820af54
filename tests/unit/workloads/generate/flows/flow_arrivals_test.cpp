#include "workloads/generate/flows/flow_arrivals.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace lightrail;

namespace {

/// 100 kB on average, at half of 100 Gb/s: a flow each 16 us.
const SizeDistribution sizes({{0, 0}, {200'000, 1}});
const FlowTraffic traffic{8, BitRate{100'000'000'000}, 0.5, milliseconds(160)};

}  // namespace

TEST_CASE("a sender has as many flows and bytes as its load says") {
  CHECK(traffic.expected(sizes) == Approx(10'000));
  const std::vector<FlowArrival> flows = draw_flows(traffic, sizes, 3, 1);
  double bytes = 0;
  for (const FlowArrival& flow : flows) bytes += static_cast<double>(flow.bytes);
  // Deviations of a Poisson count (1 %) and of a sum of so many even sizes (1.15 %); four of them.
  CHECK(static_cast<double>(flows.size()) == Approx(10'000).epsilon(0.04));
  CHECK(bytes == Approx(0.5 * 100e9 / 8 * 0.16).epsilon(0.046));
}

TEST_CASE("gaps are exponential: mean, deviation and the share that is longer than the mean") {
  const std::vector<FlowArrival> flows = draw_flows(traffic, sizes, 0, 7);
  double sum = 0, squares = 0, longer = 0;
  SimTime before{};
  for (const FlowArrival& flow : flows) {
    CHECK(flow.at >= before);
    const double gap = static_cast<double>((flow.at - before).count()) * 1e-6 / 16;  // in means
    before = flow.at;
    sum += gap, squares += gap * gap, longer += gap > 1 ? 1 : 0;
  }
  CHECK(before < traffic.duration);
  const auto n = static_cast<double>(flows.size());
  CHECK(sum / n == Approx(1).epsilon(0.04));
  CHECK(squares / n == Approx(2).epsilon(0.1));
  CHECK(longer / n == Approx(std::exp(-1.0)).epsilon(0.06));
}

TEST_CASE("receivers are any other member, all alike") {
  for (const std::uint32_t from : {0u, 3u, 7u}) {
    std::vector<int> count(traffic.members);
    const std::vector<FlowArrival> flows = draw_flows(traffic, sizes, from, 1);
    for (const FlowArrival& flow : flows) ++count[flow.to];
    CHECK(count[from] == 0);
    for (std::uint32_t to = 0; to < traffic.members; ++to)
      if (to != from) CHECK(count[to] == Approx(static_cast<double>(flows.size()) / 7).epsilon(0.12));
  }
}

TEST_CASE("sizes are as distributed: no share is further off than chance allows") {
  // Kolmogorov and Smirnov: 1.95 / sqrt(n) is passed by chance once in a thousand times.
  const SizeDistribution steps({{0, 0}, {1000, 0.6}, {7000, 0.7}, {10'000'000, 1, SizeSpread::logarithmic}});
  const FlowTraffic own{4, BitRate{100'000'000'000}, 0.5, milliseconds(4000)};
  std::vector<FlowArrival> flows = draw_flows(own, steps, 1, 5);
  REQUIRE(flows.size() > 10'000);
  std::sort(flows.begin(), flows.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  const auto n = static_cast<double>(flows.size());
  double furthest = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const double share = (static_cast<double>(i) + 0.5) / n;
    // The share at which the distribution has this size, by halving.
    double low = 0, high = 1;
    for (int k = 0; k < 40; ++k)
      (steps.size_at((low + high) / 2) < flows[i].bytes ? low : high) = (low + high) / 2;
    if (i + 1 < flows.size() && flows[i + 1].bytes == flows[i].bytes) continue;  // a byte's share is one step
    furthest = std::max(furthest, std::abs(low - share));
  }
  CHECK(furthest < 1.95 / std::sqrt(n) + 1.0 / 1000);
}

TEST_CASE("flows depend on seed and sender alone") {
  const auto same = [](const FlowArrival& a, const FlowArrival& b) {
    return a.at == b.at && a.to == b.to && a.bytes == b.bytes;
  };
  const std::vector<FlowArrival> one = draw_flows(traffic, sizes, 2, 1),
                                 again = draw_flows(traffic, sizes, 2, 1);
  CHECK(std::equal(one.begin(), one.end(), again.begin(), again.end(), same));
  CHECK(draw_flows(traffic, sizes, 2, 2)[0].at != one[0].at);
  CHECK(draw_flows(traffic, sizes, 4, 1)[0].at != one[0].at);
  // A longer run has the same flows, and more behind them.
  FlowTraffic longer = traffic;
  longer.duration *= 2;
  const std::vector<FlowArrival> more = draw_flows(longer, sizes, 2, 1);
  REQUIRE(more.size() > one.size());
  CHECK(std::equal(one.begin(), one.end(), more.begin(), same));
}
