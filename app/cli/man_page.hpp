#pragma once
#include <string>

namespace lightrail {

/// lightrail(1) as the man macros of roff have it: commands with their options, from command_docs() and
/// option_docs().
[[nodiscard]] std::string man_page();

}  // namespace lightrail
