#include "engine/record/serving_summary.hpp"

#include <algorithm>

#include "engine/base/wide.hpp"

namespace lightrail {

Latency latency_of(std::vector<std::int64_t> values) {
  Latency latency;
  if (values.empty()) return latency;
  std::sort(values.begin(), values.end());
  const auto percentile = [&](std::size_t percent) {
    return values[std::max<std::size_t>(1, (values.size() * percent + 99) / 100) - 1];
  };
  Wide sum = 0;
  for (std::int64_t value : values) sum += value;
  latency.count = static_cast<std::int64_t>(values.size());
  latency.mean_ps = static_cast<std::int64_t>(sum / latency.count);
  latency.p50_ps = percentile(50), latency.p90_ps = percentile(90), latency.p99_ps = percentile(99);
  latency.max_ps = values.back();
  return latency;
}

std::optional<ServingSummary> summarise(const std::vector<ServedRequest>& requests) {
  if (requests.empty()) return std::nullopt;
  ServingSummary summary;
  std::vector<std::int64_t> ttft, tpot, e2e, user_ttft, user_tpot, user_e2e;
  std::int64_t first = requests[0].arrival_ps, last = requests[0].end_ps;
  for (const ServedRequest& r : requests) {
    ++summary.requests;
    summary.prompt_tokens += r.prompt_tokens, summary.output_tokens += r.output_tokens;
    summary.kv_bytes += r.kv_bytes;
    first = std::min(first, r.arrival_ps), last = std::max(last, r.end_ps);
    ttft.push_back(r.first_token_ps - r.arrival_ps);
    if (r.output_tokens > 1) tpot.push_back((r.end_ps - r.first_token_ps) / (r.output_tokens - 1));
    e2e.push_back(r.end_ps - r.arrival_ps);
    if (r.user_first_ps < 0) continue;
    user_ttft.push_back(r.user_first_ps - r.arrival_ps);
    if (r.output_tokens > 1) user_tpot.push_back((r.user_end_ps - r.user_first_ps) / (r.output_tokens - 1));
    user_e2e.push_back(r.user_end_ps - r.arrival_ps);
  }
  summary.span_ps = last - first;
  summary.ttft = latency_of(std::move(ttft)), summary.tpot = latency_of(std::move(tpot));
  summary.e2e = latency_of(std::move(e2e));
  summary.user_ttft = latency_of(std::move(user_ttft)), summary.user_tpot = latency_of(std::move(user_tpot));
  summary.user_e2e = latency_of(std::move(user_e2e));
  return summary;
}

}  // namespace lightrail
