#include "tests/unit/workloads/import/imported.hpp"

#include <filesystem>

#include "engine/base/error.hpp"

namespace lightrail {

ImportOptions& ImportOptions::set(const std::string& name, const std::string& value) {
  std::erase_if(attributes, [&](const Attribute& known) { return known.name == name; });
  attributes.push_back({name, value, "", 0});
  return *this;
}

Job imported(const ImportOptions& options) {
  Element at;
  at.name = "workload";
  at.attributes = options.attributes;
  JobOutput output;
  import_trace(*find_trace_format(options.format), options.files, at, output);
  return output.take();
}

std::string import_refusal(const ImportOptions& options) {
  try {
    imported(options);
  } catch (const InputErrors& problem) {
    InputError error = problem.errors()[0];
    error.file = std::filesystem::path(error.file).filename().string();
    return to_string(error);
  }
  return "";
}

}  // namespace lightrail
