#include "workloads/import/trace_files.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "engine/base/error.hpp"

namespace lightrail {

std::vector<std::string> files_matching(const std::string& pattern) {
  namespace fs = std::filesystem;
  fs::path path(pattern);
  std::string last = path.filename().string();
  fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code code;
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder, code))
    if (fnmatch(last.c_str(), entry.path().filename().c_str(), FNM_PERIOD) == 0)
      found.push_back(entry.path().string());
  if (code)
    throw InputErrors(InputError{pattern, 0, fmt::format("cannot read the folder ({})", code.message())});
  if (found.empty()) throw InputErrors(InputError{pattern, 0, "no file matches"});
  std::sort(found.begin(), found.end());
  return found;
}

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The number that begins at `at`.
std::optional<std::uint32_t> number_at(const std::string& text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == at || end - at > 6) return std::nullopt;
  return static_cast<std::uint32_t>(std::stoul(text.substr(at, end - at)));
}

}  // namespace

std::optional<std::uint32_t> rank_by_name(const std::string& path) {
  std::string name = std::filesystem::path(path).filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (std::size_t at = name.find("rank"); at != std::string::npos; at = name.find("rank", at + 1)) {
    const std::size_t digits = name.find_first_not_of("_-=[", at + 4);
    if (digits != std::string::npos && is_digit(name[digits])) return number_at(name, digits);
  }
  if (const auto dot = name.find('.'); dot != std::string::npos) name.resize(dot);
  const std::size_t end = name.find_last_of("0123456789");
  if (end == std::string::npos) return std::nullopt;
  const std::size_t begin = name.find_last_not_of("0123456789", end);
  return number_at(name, begin == std::string::npos ? 0 : begin + 1);
}

std::optional<std::uint32_t> rank_by_pattern(const std::string& path, const std::string& pattern) {
  const std::string name = std::filesystem::path(path).filename().string();
  const std::size_t mark = pattern.find('#');
  if (mark == std::string::npos) return std::nullopt;
  const std::string before = pattern.substr(0, mark), after = pattern.substr(mark + 1);
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (!is_digit(name[at]) || (at > 0 && is_digit(name[at - 1]))) continue;
    std::size_t end = at;
    while (end < name.size() && is_digit(name[end])) ++end;
    if (fnmatch(before.c_str(), name.substr(0, at).c_str(), 0) == 0 &&
        fnmatch(after.c_str(), name.substr(end).c_str(), 0) == 0)
      return number_at(name, at);
  }
  return std::nullopt;
}

}  // namespace lightrail
