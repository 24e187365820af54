#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/explain/result_reader.hpp"
#include "engine/record/result_file.hpp"

namespace lightrail {

/// What the end of the last iteration waited for, back to its start: a chain of operations, launches and
/// messages through the GPUs, in which each moment of the step is counted once.
struct CriticalPath {
  /// Alike operations on the path.
  struct Part {
    std::string label;          ///< "kernel fwd", "all_reduce dp", "message pp", "launch"
    std::string use;            ///< as in the table exposed: "compute", "communication", ...
    std::int64_t time_ps = 0;   ///< on the path
    std::int64_t bytes_ps = 0;  ///< of it: bytes arrived; of communication that is_split
    bool is_split = false;      ///< the table messages tells bytes and latency apart
    std::int64_t count = 0;     ///< how often
  };
  struct Segment {
    std::int64_t gpu = 0, op = 0, iteration = 0;  ///< op: place in the program
    std::size_t part = 0;
    std::int64_t t_start_ps = 0, t_end_ps = 0;
  };
  /// The step if something took a tenth less time, by a replay of the recorded operations.
  struct WhatIf {
    std::string change;  ///< "kernel fwd", "bytes of all_reduce dp", "latency of message pp"
    std::int64_t step_ps = 0;
  };

  std::string missing;  ///< why there is none, and what to record; empty: there is one
  std::string unsplit;  ///< why bytes and latency are not told apart; empty: they are
  std::int64_t iteration = 0, step_ps = 0;
  std::vector<Part> parts;        ///< the longest first; they add up to step_ps
  std::vector<Segment> segments;  ///< in the order of time, without a gap
  std::vector<WhatIf> what_ifs;   ///< what shortens the step, most first
};

/// What each what-if leaves of the time that it is about.
inline constexpr double what_if_factor = 0.9;
/// Rows of ops up to which a run writes its path; `lightrail explain` takes any.
inline constexpr std::size_t most_rows_in_run = 4'000'000;

/// Throws InputErrors for a damaged result. `most_rows`: of ops; 0: any.
[[nodiscard]] CriticalPath read_critical_path(const ResultReader& result, std::size_t most_rows = 0);

/// For people.
[[nodiscard]] std::string to_text(const CriticalPath& path);
[[nodiscard]] nlohmann::ordered_json critical_path_json(const CriticalPath& path);
/// /summary/critical_path.
void write_critical_path(ResultFile& file, const CriticalPath& path);

}  // namespace lightrail
