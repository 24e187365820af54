#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/import/trace_format.hpp"
#include "workloads/trace/job_output.hpp"

namespace lightrail {

struct KinetoOptions {
  std::vector<std::string> files;   ///< one a rank, any order
  std::uint32_t element_bytes = 0;  ///< where a trace does not name the data type; 0: refuse it
  std::string rank_pattern;         ///< of file names, # stands for the rank; "": by content, then by name
  std::string steps;                ///< "2-4": of the profiler's steps only these; "": all
  bool others_do_the_same = false;  ///< one file: the other ranks do what its rank did
  std::uint32_t ranks = 0;          ///< ... of so many; 0: as the trace says
  std::vector<std::string> execution_traces;  ///< PyTorch's, one a rank, to be joined with the files
  std::int64_t collective_bytes = 0;          ///< of a collective without a size [B]; 0: refuse it
  /// Kernels and calls are held up to this size [B]; ranks beyond are read twice instead.
  std::size_t max_held_bytes = 64 << 20;
};

/// Kineto traces of all ranks of a job -> the job that repeats it, rank r on GPU r. Throws InputErrors naming
/// file and event.
void import_kineto(const KinetoOptions& options, JobOutput& output);
[[nodiscard]] Job import_kineto(const KinetoOptions& options);

[[nodiscard]] std::shared_ptr<const TraceFormat> kineto_format();
/// Nsight Systems' SQLite export, with the same attributes.
[[nodiscard]] std::shared_ptr<const TraceFormat> nsight_format();

}  // namespace lightrail
