#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/import/trace_formats.hpp"

namespace lightrail {

/// What a scenario or a command line says of a trace.
struct ImportOptions {
  std::string format;
  std::vector<std::string> files;
  std::vector<Attribute> attributes = {};

  ImportOptions& set(const std::string& name, const std::string& value);
};

/// The job of an import in memory.
Job imported(const ImportOptions& options);

/// The first mistake without the folder of its file, "" when there is none.
std::string import_refusal(const ImportOptions& options);

/// The program of a GPU.
inline const Program& program_of(const Job& job, std::uint32_t gpu) {
  return job.programs.programs[job.programs.program_of_gpu[gpu]];
}

}  // namespace lightrail
