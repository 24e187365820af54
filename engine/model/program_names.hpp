#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace lightrail {

/// Model resource: what the programs and their streams are called, for readers of the column `stream`.
struct ProgramNames {
  struct Program {
    std::string role;
    std::vector<std::string> streams;
  };
  std::vector<Program> programs;
  std::vector<std::uint32_t> program_of_gpu;  ///< by GPU (endpoint id)
};

}  // namespace lightrail
