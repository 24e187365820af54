#pragma once
#include <string>
#include <vector>

#include "app/catalogue/find_entry.hpp"

namespace lightrail {

/// A line an entry: name and what it is.
[[nodiscard]] std::string list_text(const std::vector<CatalogueEntry>& entries);
[[nodiscard]] std::string list_json(const std::vector<CatalogueEntry>& entries);

/// Every value with its kind of source, then the sources, numbered.
[[nodiscard]] std::string entry_text(const CatalogueEntry& entry);
[[nodiscard]] std::string entry_json(const CatalogueEntry& entry);

/// An entry that a search has found, and which of its figures have the words: at most three in the text.
struct FoundEntry {
  CatalogueEntry entry;
  std::vector<EntryValue> values;
};
[[nodiscard]] std::string search_text(const std::vector<FoundEntry>& found);
[[nodiscard]] std::string search_json(const std::vector<FoundEntry>& found);

}  // namespace lightrail
