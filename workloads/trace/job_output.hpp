#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workloads/job/job.hpp"
#include "workloads/trace/trace_digest.hpp"

namespace lightrail {

class TraceFileWriter;

/// 128 bits of everything that was added. Two different contents share them with a chance of 2^-128.
class ContentHash {
 public:
  void add(std::uint64_t value);
  void add(const std::string& text);
  [[nodiscard]] std::array<std::uint64_t, 2> value() const { return state_; }

 private:
  std::array<std::uint64_t, 2> state_{0x6a09e667f3bcc908ull, 0xbb67ae8584caa73bull};
};

/// Where an importer puts a job, operation by operation: kept in memory for a run, or written to a trace file
/// at once, so that an import needs no memory for what it has read. Programs that do the same, whatever their
/// roles, are kept once.
class JobOutput {
 public:
  struct Discard {};
  static constexpr Discard discard{};

  JobOutput();                  ///< in memory
  explicit JobOutput(Discard);  ///< nowhere
  JobOutput(const std::string& path, const std::string& source);
  JobOutput(const JobOutput&) = delete;
  JobOutput& operator=(const JobOutput&) = delete;
  ~JobOutput();

  /// Once, before anything else.
  void begin(std::uint32_t gpu_count);
  /// Forgets everything, also begin().
  void restart();
  JobBuilder& job() { return *job_; }

  /// Adds to the program that is being written. Returns the operation's index.
  std::uint32_t add(const Op& op, std::span<const std::uint32_t> after);
  /// Ends it and returns its index, or that of an equal one.
  std::uint32_t end(const std::string& role, const std::vector<std::string>& streams,
                    std::int64_t memory_bytes = 0);
  /// A whole program.
  std::uint32_t program(const Program& program);

  /// In memory: the job. With a file: the job without its operations, after the file was completed.
  Job take();
  /// The programs in order, counted.
  [[nodiscard]] const std::vector<ProgramDigest>& digests() const { return digests_; }

 private:
  void start_program();
  bool is_kept_ = true;
  std::string path_, source_;  ///< of the file
  std::optional<JobBuilder> job_;
  std::unique_ptr<TraceFileWriter> file_;
  std::map<std::array<std::uint64_t, 2>, std::uint32_t> by_hash_;
  std::vector<ProgramDigest> digests_;
  Program open_;
  std::uint32_t open_ops_ = 0;
  ContentHash open_hash_;
  ProgramDigest open_digest_;
};

}  // namespace lightrail
