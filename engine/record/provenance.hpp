#pragma once

namespace lightrail {

[[nodiscard]] const char* software_version();  ///< "0.1.0"
[[nodiscard]] const char*
git_describe();  ///< of the source tree when it was built; "unknown" outside a checkout

}  // namespace lightrail
