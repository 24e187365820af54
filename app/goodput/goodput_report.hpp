#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/record/result_file.hpp"
#include "workloads/goodput/monte_carlo.hpp"

namespace lightrail {

/// "54 d", "3.09 h", "7.8 min", "59.2 s".
[[nodiscard]] std::string span_text(double seconds);

/// For people.
[[nodiscard]] std::string to_text(const GoodputResult& result);
/// For scripts: times in ps where the name says so, shares of the period.
[[nodiscard]] nlohmann::ordered_json goodput_json(const GoodputResult& result);
/// /summary/goodput: attributes, and folders of columns: runs, causes, categories, intervals.
void write_goodput(ResultFile& file, const GoodputResult& result);

}  // namespace lightrail
