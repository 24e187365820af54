#pragma once
#include <cstdint>
#include <string>
#include <utility>

namespace lightrail {

/// "3" -> {3, 3}, "2-4" -> {2, 4}: what the attribute `steps` chooses. Throws InputErrors with `path` for
/// anything else.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> parse_range(const std::string& text,
                                                                const std::string& path);

}  // namespace lightrail
