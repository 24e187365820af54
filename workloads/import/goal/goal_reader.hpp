#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lightrail {

/// One statement of a rank.
struct GoalNode {
  enum class Kind : std::uint8_t { send, recv, calc };
  Kind kind = Kind::calc;
  std::uint8_t cpu = 0, nic = 0;
  std::uint32_t line = 0;
  std::uint32_t peer = 0, tag = 0;
  std::int64_t size = 0;  ///< [B], calc: [ns]
};

struct GoalRank {
  struct Edge {
    std::uint32_t later = 0, earlier = 0;  ///< node indices
    std::uint32_t line = 0;
    bool is_start = false;  ///< irequires: later may start when earlier has started
  };
  std::uint32_t rank = 0;
  std::uint32_t line = 0;  ///< of "rank R {"
  std::vector<GoalNode> nodes;
  std::vector<Edge> edges;
};

/// Reads a schedule rank by rank: `on_start` gets num_ranks, `on_rank` every rank's block in order, to take
/// from it what it likes. Throws
/// InputErrors with file and line.
void read_goal(const std::string& path, const std::function<void(std::uint32_t)>& on_start,
               const std::function<void(GoalRank&)>& on_rank);

}  // namespace lightrail
