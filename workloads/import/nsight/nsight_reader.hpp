#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/import/kineto/kineto_collector.hpp"
#include "workloads/import/kineto/kineto_rank.hpp"

namespace lightrail {

/// What a process did on its GPUs, in Kineto's words.
struct NsightProcess {
  std::int64_t process = 0;  ///< globalPid of the file
  KinetoEvents events;
  std::vector<Membership> memberships;  ///< in communicators that it made or destroyed while it was traced
  std::vector<std::string> notes;
};

/// Reads Nsight Systems' SQLite export: every process that used a GPU, by its globalPid. Throws InputErrors
/// for a damaged file, one without GPU work, and NCCL calls that do not fit their kernels.
[[nodiscard]] std::vector<NsightProcess> read_nsight(const std::string& path);

}  // namespace lightrail
