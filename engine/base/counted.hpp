#pragma once
#include <cstdint>
#include <string>

namespace lightrail {

/// "1 leaf", "4 leaves"; without `many` with an s, "0 GPUs".
[[nodiscard]] std::string counted(std::uint64_t count, const std::string& one, const std::string& many = "");

}  // namespace lightrail
