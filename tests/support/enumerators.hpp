#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lightrail {

namespace enumerators_detail {

/// The enumerator of `value` as GCC and Clang spell a template argument: "Kind::name" or "(Kind)7".
template <auto value>
constexpr std::string_view spelling() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t begin = text.find("value = ") + 8;
  return text.substr(begin, text.find_first_of(";]", begin) - begin);
}

/// Without its type; empty where `value` is no enumerator.
template <auto value>
constexpr std::string_view name() {
  const std::string_view text = spelling<value>();
  if (text.find(')') != std::string_view::npos) return {};
  return text.substr(text.rfind(':') + 1);
}

template <class Enum, std::size_t... value>
std::vector<std::string> names(std::index_sequence<value...>) {
  const std::array<std::string_view, sizeof...(value)> all = {name<static_cast<Enum>(value)>()...};
  std::vector<std::string> found(all.begin(), all.end());
  while (!found.empty() && found.back().empty()) found.pop_back();
  return found;
}

}  // namespace enumerators_detail

/// The names of the enumerators of value 0, 1, ... 99 as the source spells them, read from the compiler, so
/// that a list beside the enumeration can be compared with all of it. A value between two enumerators that
/// has none is "".
template <class Enum>
[[nodiscard]] std::vector<std::string> enumerator_names() {
  return enumerators_detail::names<Enum>(std::make_index_sequence<100>{});
}

}  // namespace lightrail
