#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workloads/import/aicb/aicb.hpp"
#include "workloads/job/expert_load.hpp"
#include "workloads/trace/job_output.hpp"

namespace lightrail {

/// Formats of traces: our own, and those that other tools write.
enum class TraceFormat : std::uint8_t { own, kineto, chakra, goal, aicb, aicb_csv };

/// The names of the others' in scenarios and on the command line.
const std::vector<std::pair<std::string, TraceFormat>>& trace_formats();

struct ImportOptions {
  TraceFormat format = TraceFormat::kineto;
  std::vector<std::string> files;   ///< one a rank, or one for all ranks
  std::uint32_t element_bytes = 0;  ///< Kineto: where an old trace does not name the data type
  std::string groups_file;          ///< Chakra: JSON of process groups
  /// Chakra: that many ranks execute the one file. AICB: GPUs, instead of what the file says.
  std::uint32_t ranks = 0;
  AicbPipeline pipeline = AicbPipeline::rows;
  ExpertLoad experts;  ///< AICB
};

/// True when a format has one file for all ranks.
bool is_one_file(TraceFormat format);

/// Reads the files into `output`. Throws InputErrors with file and place.
void import_trace(const ImportOptions& options, JobOutput& output);

}  // namespace lightrail
