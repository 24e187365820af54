#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/scenario/scenario.hpp"
#include "engine/scenario/units.hpp"

namespace lightrail {

namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// Insertions, deletions, replacements and swaps of neighbours; case does not count.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool is_equal = lower(a[i - 1]) == lower(b[j - 1]);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (is_equal ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
        current[j] = std::min(current[j], before[j - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, current);
  }
  return previous[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  if (word.size() > 200) return "";
  const std::size_t limit = std::max<std::size_t>(2, word.size() / 3);
  std::string best;
  std::size_t best_distance = limit + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    // A short word must not be explained by one that shares no letter with it.
    if (distance < best_distance && distance < std::max(word.size(), candidate.size()))
      best = candidate, best_distance = distance;
  }
  if (!best.empty()) return best;
  constexpr std::size_t tells = 4;  // letters that a beginning needs to say something
  for (const std::string& candidate : known)
    if (std::min(word.size(), candidate.size()) >= tells &&
        (word.starts_with(candidate) || candidate.starts_with(word)))
      return candidate;
  return "";
}

std::string invalid_choice(const std::string& text, const std::vector<std::string>& choices) {
  std::string list;
  for (const std::string& choice : choices) list += (list.empty() ? "" : ", ") + choice;
  const std::string guess = did_you_mean(text, choices);
  return "invalid choice '" + text + "' (one of " + list +
         (guess.empty() ? "" : "; did you mean '" + guess + "'?") + ")";
}

}  // namespace lightrail
