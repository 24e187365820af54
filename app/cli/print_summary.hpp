#pragma once
#include <string>
#include <vector>

#include "engine/record/summary.hpp"

namespace lightrail {

/// A line for each of the first twelve remarks, the first headed "rests on"; "" for none.
[[nodiscard]] std::string remarks_text(const std::vector<Remark>& remarks);

/// What a person reads after a run: status, step time, where it went, traffic, speed, and where the file is.
[[nodiscard]] std::string summary_text(const Summary& summary, const std::string& file);

}  // namespace lightrail
