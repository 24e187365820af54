#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/import/kernel_class.hpp"
#include "workloads/job.hpp"

namespace lightrail {

struct KinetoOptions {
  std::vector<std::string> files;        ///< one a rank, any order
  std::vector<std::uint32_t> placement;  ///< GPU of each rank; empty: GPU r runs rank r
  std::uint32_t gpu_count = 0;           ///< GPUs of the system; 0: as many as ranks
  std::uint32_t element_bytes = 0;       ///< where a trace does not name the data type; 0: refuse it
  KernelScale scale;
};

/// Kineto traces of all ranks of a job -> the job that repeats it. Throws InputErrors naming file and event.
Job import_kineto(const KinetoOptions& options);

/// The files that a pattern with * and ? in its last part names, sorted. Throws InputErrors when none match.
std::vector<std::string> files_matching(const std::string& pattern);

}  // namespace lightrail
