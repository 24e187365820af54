#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/time.hpp"
#include "workloads/import/goal/loggops.hpp"
#include "workloads/import/trace_format.hpp"
#include "workloads/trace/job_output.hpp"

namespace lightrail {

/// When what requires a send may start.
enum class GoalSendEnd : std::uint8_t {
  sent,      ///< when its last byte is on the wire
  eager,     ///< when its software is done; of more than eager_limit: as `delivered`
  delivered  ///< when the receiver has told that it has received it
};

struct GoalOptions {
  std::string file;
  GoalSendEnd send_end = GoalSendEnd::sent;
  std::int64_t eager_limit = std::numeric_limits<std::int64_t>::max();  ///< [B]
  /// Software of a message at each of its ends; none: NCCL's of a send and a receive.
  std::optional<SimTime> message_time = {};
  /// Instead of messages over the simulated network.
  std::optional<LogGops> loggops = {};
};

/// Imports a GOAL schedule (text, LogGOPSim's and ATLAHS' grammar; plain or gzip): one program a rank, each
/// calc on the stream of its processor ("cpu 0"), sends and receives wherever only their dependencies order
/// them. Messages of one pair and tag meet in the order of the file, dependencies first. Reads one rank at a
/// time, with `loggops` all. Throws InputErrors with file and line.
void import_goal(const GoalOptions& options, JobOutput& output);
[[nodiscard]] std::shared_ptr<const TraceFormat> goal_format();

}  // namespace lightrail
