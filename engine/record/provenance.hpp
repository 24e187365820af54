#pragma once

namespace lightrail {

const char* software_version();  ///< "0.1.0"
const char* git_describe();      ///< of the source tree when it was built; "unknown" outside a checkout

}  // namespace lightrail
