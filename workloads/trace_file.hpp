#pragma once
#include <string>

#include "workloads/job.hpp"

namespace lightrail {

/// Lightrail's own trace format: a job as columns of one HDF5 file (trace_columns.hpp lists them).
/// Throws IoError.
void write_trace(const Job& job, const std::string& path, const std::string& source);

/// Reads it back and checks every index and enumeration, so that a damaged file cannot reach the simulation.
/// Throws InputErrors with file and reason.
Job read_trace(const std::string& path);

/// What a trace holds, as lines of text: programs, operations by kind, collectives by group and size,
/// captured figures.
std::string describe_trace(const Job& job);

}  // namespace lightrail
