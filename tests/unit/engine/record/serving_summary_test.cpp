#include "engine/record/serving_summary.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <numeric>
#include <vector>

using namespace lightrail;

TEST_CASE("a percentile is the smallest value that so many per cent do not exceed") {
  std::vector<std::int64_t> values(100);
  std::iota(values.rbegin(), values.rend(), 1);
  const Latency latency = latency_of(values);
  CHECK(latency.count == 100);
  CHECK(latency.p50_ps == 50);
  CHECK(latency.p90_ps == 90);
  CHECK(latency.p99_ps == 99);
  CHECK(latency.max_ps == 100);
  CHECK(latency.mean_ps == 50);  // 50.5, rounded down
  CHECK(latency_of({7}).p99_ps == 7);
  CHECK(latency_of({1, 2, 3}).p50_ps == 2);
  CHECK(latency_of({}).count == 0);
}

TEST_CASE("rates are over the span from the first arrival to the last end") {
  const std::int64_t s = 1'000'000'000'000;
  const auto summary = summarise({{0, s, 3 * s, 100, 5, 0}, {s, 2 * s, 2 * s, 50, 1, 64}});
  REQUIRE(summary);
  CHECK(summary->requests == 2);
  CHECK(summary->span_ps == 3 * s);
  CHECK(summary->per_second(summary->output_tokens) == Approx(2));
  CHECK(summary->kv_bytes == 64);
  CHECK(summary->ttft.max_ps == s);
  // Two seconds for the four tokens after the first; the request of one token has no time between tokens.
  CHECK(summary->tpot.count == 1);
  CHECK(summary->tpot.p50_ps == s / 2);
  CHECK(summary->e2e.p50_ps == s);
  CHECK(summary->e2e.max_ps == 3 * s);
}

TEST_CASE("what users see is told apart from what the scheduler knows, and only where there are users") {
  const std::int64_t s = 1'000'000'000'000;
  const auto summary =
      summarise({{0, s, 3 * s, 100, 5, 0, 2 * s, 4 * s}, {s, 2 * s, 2 * s, 50, 1, 0, 5 * s, 5 * s}});
  REQUIRE(summary);
  CHECK(summary->ttft.max_ps == s);
  CHECK(summary->user_ttft.p50_ps == 2 * s);
  CHECK(summary->user_ttft.max_ps == 4 * s);
  CHECK(summary->user_tpot.count == 1);
  CHECK(summary->user_tpot.p50_ps == s / 2);
  CHECK(summary->user_e2e.max_ps == 4 * s);
  CHECK(summary->latencies().size() == 6);
  CHECK(summarise({{0, s, s, 1, 1, 0}})->latencies().size() == 3);
}

TEST_CASE("without a request that has ended there is no summary") {
  CHECK_FALSE(summarise({}));
}
