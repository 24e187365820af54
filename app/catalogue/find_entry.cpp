#include "app/catalogue/find_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "engine/scenario/scenario.hpp"
#include "engine/scenario/units.hpp"

namespace lightrail {
namespace {

std::string folder_of(const std::string& entry) {
  const std::size_t slash = entry.find('/');
  return slash == std::string::npos ? "" : entry.substr(0, slash);
}

std::string leaf_of(const std::string& entry) {
  return entry.substr(entry.rfind('/') + 1);  // npos + 1 is 0: the whole name
}

[[noreturn]] void fail(const std::string& what) {
  throw InputErrors(InputError{"", 0, "catalogue: " + what});
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool has_all(const std::string& text, const std::vector<std::string>& words) {
  const std::string folded = lower(text);
  return std::all_of(words.begin(), words.end(),
                     [&](const std::string& word) { return folded.find(lower(word)) != std::string::npos; });
}

std::string text_of(const EntryValue& value) {
  return fmt::format("{} {} {} {} {}\n", value.part, value.name, value.value, value.kind, value.source);
}

}  // namespace

std::vector<std::string> kinds_of(const std::vector<std::string>& entries) {
  std::vector<std::string> kinds;
  for (const std::string& entry : entries)
    if (const std::string folder = folder_of(entry); !folder.empty()) kinds.push_back(folder);
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  return kinds;
}

std::vector<std::string> entries_of_kind(const std::vector<std::string>& entries, const std::string& kind) {
  if (kind.empty()) return entries;
  const std::vector<std::string> kinds = kinds_of(entries);
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    fail("kind: " + invalid_choice(kind, kinds));
  std::vector<std::string> chosen;
  for (const std::string& entry : entries)
    if (folder_of(entry) == kind) chosen.push_back(entry);
  return chosen;
}

std::string find_entry(const std::vector<std::string>& entries, const std::string& given) {
  if (std::find(entries.begin(), entries.end(), given) != entries.end()) return given;
  std::vector<std::string> same, leaves;
  for (const std::string& entry : entries) {
    leaves.push_back(leaf_of(entry));
    if (leaves.back() == given) same.push_back(entry);
  }
  if (same.size() == 1) return same.front();
  if (same.size() > 1) fail(fmt::format("'{}' may be {}", given, fmt::join(same, " or ")));
  std::string guess = did_you_mean(given, entries);
  if (const std::string leaf = did_you_mean(leaf_of(given), leaves); guess.empty() && !leaf.empty())
    guess = entries[static_cast<std::size_t>(std::find(leaves.begin(), leaves.end(), leaf) - leaves.begin())];
  const std::string hint =
      guess.empty() ? "lightrail catalogue list names all" : fmt::format("did you mean '{}'?", guess);
  fail(fmt::format("no entry '{}' ({})", given, hint));
}

EntryMatch search_entry(const CatalogueEntry& entry, const std::vector<std::string>& words) {
  EntryMatch match;
  std::string all = fmt::format("{} {} {}\n", entry.name, entry.text, entry.base);
  for (const EntryPart& part : entry.parts) all += fmt::format("{} {}\n", part.part, part.entry);
  for (const EntryValue& value : entry.values) {
    all += text_of(value);
    if (has_all(text_of(value), words)) match.values.push_back(value);
  }
  match.is_found = has_all(all, words);
  return match;
}

}  // namespace lightrail
