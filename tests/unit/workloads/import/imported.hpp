#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/import/import_trace.hpp"

namespace lightrail {

/// The job of an import in memory.
inline Job imported(const ImportOptions& options) {
  JobOutput output;
  import_trace(options, output);
  return output.take();
}

/// The first mistake without the folder of its file, "" when there is none.
std::string import_refusal(const ImportOptions& options);

/// The program of a GPU.
inline const Program& program_of(const Job& job, std::uint32_t gpu) {
  return job.programs.programs[job.programs.program_of_gpu[gpu]];
}

}  // namespace lightrail
