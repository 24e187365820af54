#pragma once
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "engine/base/random.hpp"

namespace lightrail {

/// Flips, cuts, doubles and swaps bytes, numbers and lines of a text, a few at a time.
inline std::string mutated(std::string text, Random& random) {
  const char* const words[] = {
      "-1",       "99999999999999999999", "0", "None", "\"", "{", "}", "\n", "\t", ",", "1e308", "rank",
      "requires", "\xff\xff\xff\xff\x0f"};
  for (auto changes = 1 + random.below(4); changes-- > 0 && !text.empty();) {
    const std::size_t at = static_cast<std::size_t>(random.below(text.size()));
    const std::size_t span =
        std::min<std::size_t>(text.size() - at, 1 + static_cast<std::size_t>(random.below(40)));
    switch (random.below(6)) {
      case 0:
        text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.erase(at, span);
        break;
      case 2:
        text.insert(at, text.substr(at, span));
        break;
      case 3:
        text.insert(at, words[random.below(std::size(words))]);
        break;
      case 4:
        text.resize(at);
        break;
      default:
        std::swap(text[at], text[static_cast<std::size_t>(random.below(text.size()))]);
    }
  }
  return text;
}

}  // namespace lightrail
