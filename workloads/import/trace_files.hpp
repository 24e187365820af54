#pragma once
#include <string>
#include <vector>

namespace lightrail {

/// The files that a pattern with * and ? in its last part names, sorted. Throws InputErrors when none match.
[[nodiscard]] std::vector<std::string> files_matching(const std::string& pattern);

}  // namespace lightrail
