#include "workloads/import/trace_files.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

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

}  // namespace lightrail
