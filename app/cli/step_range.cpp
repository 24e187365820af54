#include "app/cli/step_range.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "engine/base/error.hpp"

namespace lightrail {
namespace {

bool read(std::string_view text, std::uint32_t& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size();
}

}  // namespace

StepRange parse_step_range(const std::string& text) {
  const std::string_view all = text;
  const std::size_t dash = all.find('-');
  StepRange range;
  const bool is_range = dash != std::string_view::npos;
  const bool is_good =
      read(all.substr(0, dash), range.first) && (!is_range || read(all.substr(dash + 1), range.last));
  if (!is_range) range.last = range.first;
  if (!is_good || range.last < range.first)
    throw InputErrors(InputError{
        "", 0,
        fmt::format("option --check-steps: '{}' is no iteration, counted from 0, or range of them (3, 2-4)",
                    text)});
  return range;
}

}  // namespace lightrail
