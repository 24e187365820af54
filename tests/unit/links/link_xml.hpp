#pragma once
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "engine/scenario/scenario.hpp"

namespace lightrail::test {

/// A scenario whose root holds `inner`, read with the catalogue of the source tree.
inline Scenario scenario_of(const std::string& inner) {
  static int count = 0;
  const std::string path =
      (std::filesystem::temp_directory_path() /
       ("lightrail_test_" + std::to_string(getpid()) + "_" + std::to_string(count++) + ".xml"))
          .string();
  std::ofstream(path) << "<scenario name=\"test\">\n" << inner << "\n</scenario>\n";
  ScenarioOptions options;
  options.catalogue = Catalogue("configs");
  Scenario scenario = load_scenario(path, options);
  std::remove(path.c_str());
  return scenario;
}

/// The texts of all errors, each followed by a newline.
inline std::string texts(const ErrorList& errors) {
  std::string all;
  try {
    errors.throw_if_any();
  } catch (const InputErrors& thrown) {
    for (const InputError& error : thrown.errors()) all += to_string(error) + "\n";
  }
  return all;
}

}  // namespace lightrail::test
