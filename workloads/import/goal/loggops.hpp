#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/time.hpp"
#include "workloads/import/goal/goal_reader.hpp"

namespace lightrail {

/// The LogGOPS model (Hoefler, Schneider, Lumsdaine: "LogGOPSim - Simulating Large-Scale Applications in the
/// LogGOPS Model", HPDC 2010): what a message takes, without a network that could be busy.
struct LogGops {
  SimTime latency{};                   ///< L [ps]
  SimTime overhead{};                  ///< o [ps]: of a processor, for each end of a message
  SimTime gap{};                       ///< g [ps]: between two messages of a NIC, by direction
  std::int64_t gap_per_byte = 0;       ///< G [fs/B]
  std::int64_t overhead_per_byte = 0;  ///< O [fs/B]
  std::int64_t rendezvous_above = 0;   ///< S [B]: larger sends wait until they have met their receive

  /// Reads "L=3700 o=200 g=5 G=0.04 O=0 S=0", each once [ns, ns/B, B]. Returns "" or what is wrong.
  [[nodiscard]] static std::string parse(const std::string& text, LogGops& value);
};

/// What occupies a processor of a rank.
struct GoalBusy {
  GoalNode::Kind kind = GoalNode::Kind::calc;  ///< recv: a message, also where its receive comes later
  std::uint8_t cpu = 0;
  SimTime start{}, end{};
  bool operator==(const GoalBusy&) const = default;
};

struct GoalTimes {
  std::vector<GoalBusy> busy;  ///< each processor's in the order of time
  /// By processor: when it is free for ever, waiting for rendezvous included.
  std::vector<SimTime> end;
  bool operator==(const GoalTimes&) const = default;
};

/// Executes a schedule in the LogGOPS model, as LogGOPSim does:
///  - a calc occupies its processor; a send occupies it for o + (n-1) O, its NIC for g + (n-1) G;
///  - its first byte is at the receiver L + o after its start, and occupies there the sender's processor and
///    NIC numbers, as soon as both are free, for o + (n-1) max(O, G) and g + (n-1) G;
///  - a receive ends with its message; a send of at most S bytes ends when its own processor is free, a
///    larger one when its message and its receive have met, which the sender knows at once.
/// Events of one time go in the order in which they came up; sends before receives before calcs where they
/// came up together. One difference: an operation of one processor that requires one of another waits for
/// its end; LogGOPSim lets it start as soon as its own processor is free.
///
/// `ranks` in order, without circles. Returns the times by rank. Throws InputErrors at the first operation
/// that can never run, with its line.
[[nodiscard]] std::vector<GoalTimes> run_loggops(const std::string& path, const std::vector<GoalRank>& ranks,
                                                 const LogGops& model);

}  // namespace lightrail
