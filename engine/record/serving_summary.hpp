#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace lightrail {

/// What the summary needs of a request that has ended.
struct ServedRequest {
  std::int64_t arrival_ps, first_token_ps, end_ps, prompt_tokens, output_tokens, kv_bytes;
  std::int64_t user_first_ps = -1, user_end_ps = -1;  ///< first and last token at the user; -1: none there
  auto operator<=>(const ServedRequest&) const = default;  // NOLINT(modernize-use-nullptr): see Quantity
};

/// Of `count` values: mean rounded down, largest, and percentiles by nearest rank: the smallest value that at
/// least so many per cent do not exceed.
struct Latency {
  std::int64_t count = 0, mean_ps = 0, p50_ps = 0, p90_ps = 0, p99_ps = 0, max_ps = 0;
};
[[nodiscard]] Latency latency_of(std::vector<std::int64_t> values);

/// The requests of an inference job that have ended.
struct ServingSummary {
  std::int64_t requests = 0, prompt_tokens = 0, output_tokens = 0, kv_bytes = 0;
  std::int64_t span_ps = 0;  ///< from the first arrival to the last end
  Latency ttft;              ///< arrival to first token
  Latency tpot;              ///< first token to end, over the tokens after the first; where there are some
  Latency e2e;               ///< arrival to end
  Latency user_ttft, user_tpot, user_e2e;  ///< the same as users see it, where there are <users>

  /// Of the span; 0 when that is 0.
  [[nodiscard]] double per_second(std::int64_t count) const {
    return span_ps > 0 ? 1e12 * static_cast<double>(count) / static_cast<double>(span_ps) : 0;
  }
  [[nodiscard]] std::vector<std::pair<const char*, const Latency*>> latencies() const {
    std::vector<std::pair<const char*, const Latency*>> all = {
        {"ttft", &ttft}, {"tpot", &tpot}, {"e2e", &e2e}};
    if (user_ttft.count > 0)
      all.insert(all.end(), {{"user_ttft", &user_ttft}, {"user_tpot", &user_tpot}, {"user_e2e", &user_e2e}});
    return all;
  }
};
/// None: no request has ended.
[[nodiscard]] std::optional<ServingSummary> summarise(const std::vector<ServedRequest>& requests);

}  // namespace lightrail
