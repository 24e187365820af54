#pragma once
#include <string>
#include <vector>

#include "engine/scenario/scenario.hpp"

namespace lightrail::test {

/// A folder of input files that lives as long as the object; texts name it "DIR" in messages.
class ScenarioFiles {
 public:
  ScenarioFiles();
  ~ScenarioFiles();
  ScenarioFiles(const ScenarioFiles&) = delete;
  ScenarioFiles& operator=(const ScenarioFiles&) = delete;

  /// Writes DIR/name, making folders as needed.
  ScenarioFiles& write(const std::string& name, const std::string& text);
  /// Loads DIR/main.xml with the catalogue DIR/configs.
  Scenario load(const std::vector<std::string>& settings = {}, const ChildIdentities& identities = {}) const;
  /// What is wrong, one text an error, with the folder replaced by DIR; empty: it loads.
  std::vector<std::string> errors(const std::vector<std::string>& settings = {},
                                  const ChildIdentities& identities = {}) const;
  std::string folder() const { return folder_; }

 private:
  std::string folder_;
};

/// The errors of a scenario whose only file has this text.
std::vector<std::string> errors_of(const std::string& text, const std::vector<std::string>& settings = {});

/// The value of an attribute by path: "cluster/server@gpus".
std::string value_at(const Element& root, const std::string& path);

}  // namespace lightrail::test
