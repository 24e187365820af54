#include "app/cli/report_page.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "app/cli/build_model.hpp"
#include "engine/base/error.hpp"

namespace lightrail {
namespace {

/// Debian's, which has the libraries; the first python3 on PATH may not.
std::string python() {
  const char* chosen = std::getenv("LIGHTRAIL_PYTHON");
  if (chosen && *chosen) return chosen;
  return std::filesystem::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
}

/// Where lightrail_post lies: in the source tree, or under the prefix. Before what PYTHONPATH has.
std::string python_path() {
  std::string path = find_shared_folder("postprocess");
  if (path.empty()) path = find_shared_folder("lib/python3/dist-packages");
  const char* more = std::getenv("PYTHONPATH");
  if (more && *more) path += (path.empty() ? "" : ":") + std::string(more);
  return path;
}

std::string page_of(const CommandLine& line) {
  if (!line.out.empty()) return line.out;
  return std::filesystem::path(line.positional.front()).replace_extension(".html").string();
}

}  // namespace

std::vector<std::string> report_words(const CommandLine& line) {
  std::vector<std::string> words{python(), "-m", "lightrail_post", "report"};
  words.insert(words.end(), line.positional.begin(), line.positional.end());
  words.insert(words.end(), {"--html", page_of(line)});
  return words;
}

void become_report(const CommandLine& line) {
  for (const std::string& result : line.positional)
    if (!std::filesystem::exists(result))
      throw InputErrors(InputError{"", 0, "no such file: '" + result + "'"});
  std::vector<std::string> words = report_words(line);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  setenv("PYTHONPATH", python_path().c_str(), 1);
  execvp(arguments.front(), arguments.data());
  throw InputErrors(InputError{
      "", 0,
      fmt::format("the page is made by Python's package lightrail_post, and '{}' cannot be started: {} "
                  "(LIGHTRAIL_PYTHON names another one)",
                  words.front(), std::strerror(errno))});
}

}  // namespace lightrail
