#pragma once
#include <cstdint>

namespace lightrail {

/// @schema_version of result files: a larger one means that what stood in a file before is elsewhere, or
/// means something else. What is only added leaves it as it is (docs/output.md).
inline constexpr std::int64_t result_layout = 1;

[[nodiscard]] const char* software_version();  ///< "0.1.0"
[[nodiscard]] const char*
git_describe();  ///< of the source tree when it was built; "unknown" outside a checkout

}  // namespace lightrail
