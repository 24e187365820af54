#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace lightrail {

/// From a start to an end.
using Spans = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// How long any of `communication` goes on while none of `other` does, in the unit of the spans.
[[nodiscard]] std::int64_t exposed_time(Spans communication, Spans other);

}  // namespace lightrail
