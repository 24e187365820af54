#include "app/cli/named_attribute.hpp"

#include <algorithm>
#include <filesystem>

namespace lightrail {

std::optional<Attribute> named_attribute(const std::string& argument) {
  const std::size_t at = argument.find('=');
  const auto is_name = [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; };
  if (at == 0 || at == std::string::npos || std::filesystem::exists(argument) ||
      !std::all_of(argument.begin(), argument.begin() + static_cast<std::ptrdiff_t>(at), is_name))
    return std::nullopt;
  return Attribute{argument.substr(0, at), argument.substr(at + 1), "", 0};
}

}  // namespace lightrail
