#include "app/cli/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "engine/base/counted.hpp"
#include "engine/base/error.hpp"
#include "engine/base/quantity.hpp"
#include "engine/scenario/units.hpp"

namespace lightrail {
namespace {

constexpr std::int64_t max_ranks = 1'000'000;

[[noreturn]] void fail(const std::string& option, const std::string& what) {
  throw InputErrors(InputError{"", 0, "option --" + option + ": " + what});
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t comma = std::min(text.find(',', from), text.size());
    parts.push_back(text.substr(from, comma - from));
    from = comma + 1;
  }
  return parts;
}

template <class T>
T parse(const std::string& option, const std::string& text) {
  T value{};
  if (const std::string problem = parse_value(text, value); !problem.empty()) fail(option, problem);
  return value;
}

}  // namespace

std::vector<int> parse_rank_counts(const std::string& text) {
  std::vector<int> counts;
  for (const std::string& part : split(text)) {
    const auto count = parse<std::int64_t>("predict-ranks", part);
    if (count < 2 || count > max_ranks)
      fail("predict-ranks", fmt::format("'{}' is out of range (2 ... {})", part, max_ranks));
    counts.push_back(static_cast<int>(count));
  }
  if (counts.size() > ForecastPlan::max_plans)
    fail("predict-ranks", fmt::format("{} rank counts, at most {}", counts.size(), ForecastPlan::max_plans));
  return counts;
}

ForecastNetwork parse_network(const std::string& text) {
  const std::vector<std::string> parts = split(text);
  if (parts.size() != 2)
    fail("network", fmt::format("'{}' is not latency,bandwidth (as 1.5us,25GB/s)", text));
  const auto latency = parse<SimTime>("network", parts[0]);
  const auto rate = parse<BitRate>("network", parts[1]);
  if (latency <= SimTime{0} || rate.value <= 0)
    fail("network", fmt::format("'{}': latency and bandwidth must be above 0", text));
  ForecastNetwork network;
  network.latency_s = static_cast<double>(latency.count()) * 1e-12;
  network.bandwidth_bytes_per_s = static_cast<double>(rate.value) / 8;
  return network;
}

ForecastPlan plan_forecast(const Model& model, const CommandLine& line, int ranks) {
  ForecastPlan plan;
  plan.network = line.network;
  if (line.predict_ranks.empty()) return plan;
  if (ranks > 1 || line.run.engine == Engine::reference)
    fail("predict-ranks",
         fmt::format("needs one rank and the window engine ({}, engine {})", counted(ranks, "rank"),
                     line.run.engine == Engine::reference ? "reference" : "window"));
  for (const int count : line.predict_ranks)
    plan.partitions.push_back(make_partition(model, count, line.partition));
  return plan;
}

std::string forecast_text(const std::vector<ForecastRow>& rows, const ForecastNetwork& network) {
  if (rows.empty()) return "";
  std::string text = fmt::format(
      "forecast         {:.3g} us a message, {:.3g} GB/s a rank; work as measured here, {:.2f} s in all\n",
      1e6 * network.latency_s, 1e-9 * network.bandwidth_bytes_per_s, rows.front().work_s);
  text += fmt::format("  {:>7} {:>12} {:>10} {:>10} {:>9} {:>9} {:>9} {:>11} {:>10}\n", "ranks", "lookahead",
                      "windows", "sent", "balance", "sync", "speedup", "efficiency", "wall");
  for (const ForecastRow& row : rows) {
    if (row.windows == 0) continue;
    text +=
        fmt::format("  {:>7} {:>12} {:>10} {:>10.3g} {:>7.1f} % {:>7.1f} % {:>9.2f} {:>9.1f} % {:>8.3g} s\n",
                    row.ranks, row.lookahead == time_never ? "none" : format_time(row.lookahead), row.windows,
                    static_cast<double>(row.sent_events), 100 * row.balance(),
                    100 * row.sync_s / row.wall_s(), row.speedup(), 100 * row.efficiency(), row.wall_s());
  }
  return text;
}

}  // namespace lightrail
