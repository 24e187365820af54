#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "workloads/job/job.hpp"

namespace lightrail {

/// What one program holds, counted.
struct ProgramDigest {
  std::string role;
  std::size_t ops = 0, streams = 0;
  std::int64_t memory_bytes = 0;
  std::map<OpKind, std::pair<std::int64_t, SimTime>> kinds;  ///< operations, sum of their durations
  /// By group, type and bytes.
  std::map<std::tuple<std::uint32_t, CollectiveType, std::int64_t>, std::int64_t> collectives;
  std::int64_t sent_bytes = 0;  ///< by sends [B]

  void add(const Op& op);
};
[[nodiscard]] ProgramDigest digest(const Program& program);

/// What a trace holds, as lines of text: programs, operations by kind, collectives by group and size,
/// captured figures. `programs`: the job's programs in order, of which the first 16 are told one by one.
[[nodiscard]] std::string describe_trace(const Job& job, const std::vector<ProgramDigest>& programs);
/// The same, counted from the job's own operations.
[[nodiscard]] std::string describe_trace(const Job& job);

}  // namespace lightrail
