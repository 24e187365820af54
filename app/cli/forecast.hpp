#pragma once
#include <string>
#include <vector>

#include "app/cli/command_line.hpp"
#include "engine/model/model.hpp"
#include "engine/sync/forecast.hpp"

namespace lightrail {

/// "64,256,1024" -> rank counts. Throws InputErrors for other text, counts below 2, more than
/// ForecastPlan::max_plans of them.
[[nodiscard]] std::vector<int> parse_rank_counts(const std::string& text);

/// "1.5us,25GB/s" -> latency and bandwidth. Throws InputErrors.
[[nodiscard]] ForecastNetwork parse_network(const std::string& text);

/// The partitions that --predict-ranks asks for; empty without. Throws InputErrors on more than one rank.
[[nodiscard]] ForecastPlan plan_forecast(const Model& model, const CommandLine& line, int ranks);

/// The table that --predict-ranks prints; empty without rows.
[[nodiscard]] std::string forecast_text(const std::vector<ForecastRow>& rows, const ForecastNetwork& network);

}  // namespace lightrail
