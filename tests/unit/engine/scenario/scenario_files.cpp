#include "tests/unit/engine/scenario/scenario_files.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace lightrail::test {

namespace fs = std::filesystem;

ScenarioFiles::ScenarioFiles() {
  std::string name = (fs::temp_directory_path() / "lightrail_scenario_XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
  folder_ = name;
}

ScenarioFiles::~ScenarioFiles() {
  std::error_code code;
  fs::remove_all(folder_, code);
}

ScenarioFiles& ScenarioFiles::write(const std::string& name, const std::string& text) {
  const fs::path path = fs::path(folder_) / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return *this;
}

Scenario ScenarioFiles::load(const std::vector<std::string>& settings,
                             const ChildIdentities& identities) const {
  return load_scenario(folder_ + "/main.xml", {settings, Catalogue(folder_ + "/configs"), identities});
}

std::vector<std::string> ScenarioFiles::errors(const std::vector<std::string>& settings,
                                               const ChildIdentities& identities) const {
  std::vector<std::string> texts;
  try {
    load(settings, identities);
  } catch (const InputErrors& errors) {
    for (const InputError& error : errors.errors()) {
      std::string text = to_string(error);
      for (auto at = text.find(folder_); at != std::string::npos; at = text.find(folder_))
        text.replace(at, folder_.size(), "DIR");
      texts.push_back(text);
    }
  }
  return texts;
}

std::vector<std::string> errors_of(const std::string& text, const std::vector<std::string>& settings) {
  ScenarioFiles files;
  return files.write("main.xml", text).errors(settings);
}

std::string value_at(const Element& root, const std::string& path) {
  const Element* element = &root;
  std::size_t at = 0;
  const auto name_at = path.find('@');
  while (at < name_at) {
    const auto end = std::min(path.find('/', at), name_at);
    element = element->child(path.substr(at, end - at));
    if (!element) return "(no element)";
    at = end + (end < name_at ? 1 : 0);
  }
  const Attribute* attribute = element->find(path.substr(name_at + 1));
  return attribute ? attribute->value : "(no attribute)";
}

}  // namespace lightrail::test
