#include "workloads/import/number_range.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

#include "engine/base/error.hpp"

namespace lightrail {

std::pair<std::int64_t, std::int64_t> parse_range(const std::string& text, const std::string& path) {
  std::pair<std::int64_t, std::int64_t> range;
  const char *at = text.data(), *end = at + text.size();
  auto [stop, code] = std::from_chars(at, end, range.first);
  bool is_good = code == std::errc{};
  range.second = range.first;
  if (is_good && stop != end) {
    is_good = *stop == '-';
    const auto second = std::from_chars(stop + 1, end, range.second);
    is_good = is_good && second.ec == std::errc{} && second.ptr == end;
  }
  if (!is_good || range.second < range.first)
    throw InputErrors(
        InputError{path, 0, fmt::format("steps '{}': expected one step or a range, as 2-4", text)});
  return range;
}

}  // namespace lightrail
