#include "engine/scenario/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/scenario/scenario.hpp"

namespace lightrail {

namespace fs = std::filesystem;

std::vector<std::string> Catalogue::entries() const {
  std::vector<std::string> all;
  for (const std::string& folder : {directory_, base_}) {
    if (folder.empty()) continue;
    std::error_code code;
    for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end; it.increment(code))
      if (it->path().extension() == ".xml")
        all.push_back(it->path().lexically_relative(folder).replace_extension().generic_string());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::string Catalogue::problem() const {
  if (directory_.empty())
    return "no catalogue folder was found (name it with --catalogue or LIGHTRAIL_CATALOGUE)";
  std::error_code code;
  if (!fs::is_directory(directory_, code))
    return fmt::format("the catalogue folder '{}' does not exist", directory_);
  return "";
}

std::string Catalogue::file_of(const std::string& entry, const InputError& place, ErrorList& errors) const {
  auto fail = [&](const std::string& what) {
    errors.add({place.file, place.line, place.what + what});
    return std::string();
  };
  if (const std::string what = problem(); !what.empty())
    return fail(fmt::format("catalogue entry '{}' asked for, but {}", entry, what));
  std::error_code code;
  const fs::path relative(entry);
  const bool leaves = relative.is_absolute() || std::any_of(relative.begin(), relative.end(),
                                                            [](const fs::path& p) { return p == ".."; });
  if (entry.empty() || leaves)
    return fail(
        fmt::format("invalid catalogue entry '{}' (expected folder/name inside the catalogue)", entry));
  for (const std::string& folder : {directory_, base_}) {
    const fs::path file = fs::path(folder) / (entry + ".xml");
    if (!folder.empty() && fs::is_regular_file(file, code)) return file.lexically_normal().generic_string();
  }

  const auto all = entries();
  const auto whole = std::find_if(all.begin(), all.end(),
                                  [&](const std::string& other) { return other.ends_with("/" + entry); });
  const std::string guess = whole != all.end() ? *whole : did_you_mean(entry, all);
  std::string neighbours;
  const std::string folder = relative.parent_path().generic_string() + "/";
  for (const std::string& other : all)
    if (other.rfind(folder, 0) == 0) neighbours += (neighbours.empty() ? "" : ", ") + other;
  const std::string hint = !guess.empty() ? fmt::format(" (did you mean '{}'?)", guess)
                           : !neighbours.empty()
                               ? fmt::format(" (there are {})", neighbours)
                               : fmt::format(" (the catalogue folder '{}' has no '{}')", directory_, folder);
  return fail(fmt::format("unknown catalogue entry '{}'{}", entry, hint));
}

}  // namespace lightrail
