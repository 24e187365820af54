#include "tests/unit/workloads/import/imported.hpp"

#include <filesystem>

#include "engine/base/error.hpp"

namespace lightrail {

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
