#pragma once
#include <memory>
#include <string>

#include "workloads/import/trace_format.hpp"
#include "workloads/trace/job_output.hpp"

namespace lightrail {

/// Imports a GOAL schedule (text, LogGOPSim's and ATLAHS' grammar; plain or gzip): one program a rank, each
/// calc on the stream of its processor ("cpu 0"), sends and receives wherever only their dependencies order
/// them. Messages of one pair and tag meet in the order of the file, dependencies first. Reads one rank at a
/// time. Throws InputErrors with file and line.
void import_goal(const std::string& path, JobOutput& output);
[[nodiscard]] std::shared_ptr<const TraceFormat> goal_format();

}  // namespace lightrail
