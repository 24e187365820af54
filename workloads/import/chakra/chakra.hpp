#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/import/trace_format.hpp"
#include "workloads/trace/job_output.hpp"

namespace lightrail {

struct ChakraOptions {
  std::vector<std::string> files;  ///< one a rank, <prefix>.<rank>.et, any order
  std::string groups_file;         ///< JSON of process groups; "": as metadata nodes say
  std::uint32_t ranks = 0;         ///< above 0: that many ranks execute the one file
};

/// Imports Chakra execution traces, rank r on GPU r. Compute nodes run on the stream that they name, CPU
/// nodes on their thread, collectives on one stream a group, all in the order of the file as far as
/// dependencies allow; sends and receives wherever only their dependencies order them. Throws InputErrors
/// with file and node.
void import_chakra(const ChakraOptions& options, JobOutput& output);
[[nodiscard]] std::shared_ptr<const TraceFormat> chakra_format();

}  // namespace lightrail
