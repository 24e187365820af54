#pragma once
#include <string>
#include <vector>

#include "app/catalogue/catalogue_entry.hpp"

namespace lightrail {

/// The kinds of a catalogue, its folders, sorted.
[[nodiscard]] std::vector<std::string> kinds_of(const std::vector<std::string>& entries);

/// The entries of a kind, named by its folder ("gpus"); "": all. Throws InputErrors for a kind that does not
/// exist, with those that do.
[[nodiscard]] std::vector<std::string> entries_of_kind(const std::vector<std::string>& entries,
                                                       const std::string& kind);

/// The entry that `given` means: its whole name, or what stands behind the folder where only one kind has it.
/// Throws InputErrors for none, with the closest, and for several.
[[nodiscard]] std::string find_entry(const std::vector<std::string>& entries, const std::string& given);

/// What a search has found in an entry.
struct EntryMatch {
  bool is_found = false;           ///< the entry as a whole has every word
  std::vector<EntryValue> values;  ///< figures that have all of them by themselves, their sources included
};
/// Looks for `words`, in upper or lower case, in names, figures and sources.
[[nodiscard]] EntryMatch search_entry(const CatalogueEntry& entry, const std::vector<std::string>& words);

}  // namespace lightrail
