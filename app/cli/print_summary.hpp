#pragma once
#include <string>

#include "engine/record/summary.hpp"

namespace lightrail {

/// What a person reads after a run: status, step time, where it went, traffic, speed, and where the file is.
[[nodiscard]] std::string summary_text(const Summary& summary, const std::string& file);

}  // namespace lightrail
