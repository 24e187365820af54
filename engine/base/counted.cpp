#include "engine/base/counted.hpp"

#include <fmt/format.h>

namespace lightrail {

std::string counted(std::uint64_t count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many.empty() ? one + "s" : many);
}

}  // namespace lightrail
