#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace lightrail {

/// A bit and the word that stands for it in a list of an attribute.
using NamedBit = std::pair<const char*, std::uint32_t>;

/// Adds the bits of the words in `text` (separated by blanks) to `bits`. Returns "" or the first word that
/// `names` does not have.
[[nodiscard]] inline std::string add_named_bits(std::string_view text, std::span<const NamedBit> names,
                                                std::uint32_t& bits) {
  const auto is_blank = [](unsigned char c) { return std::isspace(c) != 0; };
  while (true) {
    const auto begin = std::find_if_not(text.begin(), text.end(), is_blank);
    if (begin == text.end()) return "";
    const auto end = std::find_if(begin, text.end(), is_blank);
    std::string word(begin, end);
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const auto& n) { return n.first == word; });
    if (found == names.end()) return word;
    bits |= found->second;
    text = std::string_view(end, text.end());
  }
}

}  // namespace lightrail
