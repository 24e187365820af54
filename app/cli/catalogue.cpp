#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "app/catalogue/catalogue_text.hpp"
#include "app/cli/child_identities.hpp"
#include "app/cli/commands.hpp"

namespace lightrail {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw InputErrors(InputError{"", 0, "catalogue: " + what});
}

/// The catalogue in use. Its own folder has entries.
Catalogue catalogue_in_use(const CommandLine& line) {
  Catalogue catalogue = catalogue_of(line);
  const std::string& folder = catalogue.directory();
  if (folder.empty()) fail("no catalogue folder was found (name it with --catalogue or LIGHTRAIL_CATALOGUE)");
  if (Catalogue(folder).entries().empty())
    fail(fmt::format("the folder '{}' has no entries (expected FOLDER/KIND/NAME.xml)", folder));
  return catalogue;
}

std::string list(const CommandLine& line) {
  if (line.positional.size() > 2)
    fail(fmt::format("list takes one kind at most, got {}", line.positional.size() - 1));
  const std::string kind = line.positional.size() == 2 ? line.positional[1] : "";
  const Catalogue catalogue = catalogue_in_use(line);
  std::vector<CatalogueEntry> entries;
  for (const std::string& name : entries_of_kind(catalogue.entries(), kind))
    entries.push_back(read_entry(catalogue, name, child_identities()));
  return line.json ? list_json(entries) : list_text(entries);
}

std::string search(const CommandLine& line) {
  const std::vector<std::string> words(line.positional.begin() + 1, line.positional.end());
  if (words.empty()) fail("search takes words to look for, got none");
  const Catalogue catalogue = catalogue_in_use(line);
  std::vector<FoundEntry> found;
  for (const std::string& name : catalogue.entries()) {
    CatalogueEntry entry = read_entry(catalogue, name, child_identities());
    EntryMatch match = search_entry(entry, words);
    if (match.is_found) found.push_back({std::move(entry), std::move(match.values)});
  }
  if (found.empty())
    fail(fmt::format("nothing has '{}' (lightrail catalogue list names all entries)",
                     fmt::join(words, "' and '")));
  return line.json ? search_json(found) : search_text(found);
}

std::string show(const CommandLine& line) {
  if (line.positional.size() != 2)
    fail(fmt::format("show takes one entry, got {}", line.positional.size() - 1));
  const Catalogue catalogue = catalogue_in_use(line);
  const std::string name = find_entry(catalogue.entries(), line.positional[1]);
  const CatalogueEntry entry = read_entry(catalogue, name, child_identities());
  return line.json ? entry_json(entry) : entry_text(entry);
}

}  // namespace

ExitCode catalogue(const CommandLine& line, const MpiSession& mpi) {
  // One process reads; the others would only read the same.
  const std::string text = on_every_rank(mpi, [&]() -> std::string {
    if (mpi.rank() != 0) return "";
    const std::string& verb = line.positional.front();
    if (verb == "list") return list(line);
    if (verb == "search") return search(line);
    if (verb == "show") return show(line);
    fail(invalid_choice(verb, {"list", "search", "show"}));
  });
  std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

}  // namespace lightrail
