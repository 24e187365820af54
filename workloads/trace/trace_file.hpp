#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "workloads/job/job.hpp"

namespace lightrail {

class TraceWriter;

/// Lightrail's own trace format, a job as columns of one HDF5 file (docs/traces.md lists them), written
/// operation by operation: memory does not grow with them. A file that is not finished is removed. Throws
/// IoError.
class TraceFileWriter {
 public:
  TraceFileWriter(const std::string& path, const std::string& source);
  TraceFileWriter(const TraceFileWriter&) = delete;
  TraceFileWriter& operator=(const TraceFileWriter&) = delete;
  ~TraceFileWriter();

  /// Programs are added one after the other: operations, each after what it depends on, then the rest of the
  /// program, or drop() to take its operations back.
  void add(const Op& op, std::span<const std::uint32_t> after);
  void end(const std::string& role, const std::vector<std::string>& streams, std::int64_t memory_bytes);
  void drop();
  /// Everything but the programs, which were added in the order of their indices.
  void finish(const Job& job);

 private:
  std::string path_;
  std::unique_ptr<TraceWriter> out_;
  std::vector<std::size_t> columns_;
  std::size_t dependencies_ = 0;
  std::int64_t open_ops_ = 0, open_dependencies_ = 0;  ///< of the program that has not ended
  std::vector<std::string> roles_, streams_;
  std::vector<std::int64_t> memory_, stream_counts_, op_counts_;
};

/// Writes a whole job. Throws IoError.
void write_trace(const Job& job, const std::string& path, const std::string& source);

/// Reads it back and checks every index and enumeration, so that a damaged file cannot reach the simulation.
/// Throws InputErrors with file and reason.
[[nodiscard]] Job read_trace(const std::string& path);

}  // namespace lightrail
