#include "app/cli/check_outputs.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/error.hpp"

namespace lightrail {
namespace fs = std::filesystem;
namespace {

bool is_one_file(const std::string& x, const std::string& y) {
  std::error_code error;
  if (x.empty() || y.empty()) return false;
  if (fs::equivalent(x, y, error) && !error) return true;
  // Of files that do not exist yet.
  const fs::path one = fs::weakly_canonical(fs::absolute(x), error),
                 other = fs::weakly_canonical(fs::absolute(y), error);
  return !error && one == other;
}

void check_folder(const std::string& file) {
  const auto folder = fs::path(file).parent_path();
  if (!folder.empty() && !fs::is_directory(folder))
    throw IoError(
        fmt::format("cannot write '{}': the folder '{}' does not exist", file, folder.generic_string()));
}

/// --out names the output of the run, not an input that happens to stand in the scenario.
void add_files(const Element& element, std::vector<std::string>& files) {
  for (const Attribute& a : element.attributes) {
    if (element.name == "output" || a.value.empty() || a.value.find('\n') != std::string::npos) continue;
    const fs::path name = a.value, path = name.is_absolute() ? name : fs::path(a.file).parent_path() / name;
    glob_t found{};
    if (::glob(path.c_str(), 0, nullptr, &found) == 0)
      files.insert(files.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
  }
  for (const Element& child : element.children) add_files(child, files);
}

}  // namespace

std::vector<std::string> files_named_in(const Element& root) {
  std::vector<std::string> files;
  add_files(root, files);
  std::erase_if(files, [](const std::string& file) {
    std::error_code error;
    return !fs::is_regular_file(file, error);
  });
  return files;
}

void refuse_to_overwrite(const std::string& option, const std::string& out,
                         const std::vector<std::string>& inputs) {
  std::error_code error;
  if (out.empty() || !fs::exists(out, error)) return;
  for (const std::string& input : inputs)
    if (is_one_file(out, input))
      throw InputErrors(
          InputError{"", 0, fmt::format("option {}: '{}' is an input of this command", option, out)});
}

void check_outputs(const CommandLine& line, const std::string& result, const Scenario& scenario) {
  const std::string out = line.out.empty() ? "--out (by default)" : "--out";
  std::vector<std::string> inputs = scenario.inputs;
  inputs.insert(inputs.end(), line.plugins.begin(), line.plugins.end());
  inputs.push_back(line.resume);
  std::error_code error;
  if (fs::exists(result, error) || fs::exists(line.summary_file, error)) {
    const std::vector<std::string> named = files_named_in(scenario.root);
    inputs.insert(inputs.end(), named.begin(), named.end());
  }
  refuse_to_overwrite(out, result, inputs);
  refuse_to_overwrite("--summary", line.summary_file, inputs);
  if (!line.summary_file.empty() && is_one_file(result, line.summary_file))
    throw InputErrors(
        InputError{"", 0, fmt::format("option --summary: '{}' is the result file too", line.summary_file)});
  for (const std::string& file : {result, line.summary_file}) check_folder(file);
}

}  // namespace lightrail
