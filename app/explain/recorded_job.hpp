#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/explain/result_reader.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// Every operation that the GPUs of a job have executed, with what it had to wait for: the tables of a result
/// in which `ops` is recorded of all GPUs. Assumes that the run is complete.
struct RecordedJob {
  static constexpr std::uint32_t none = 0xffffffff;

  /// An operation of a program.
  struct Step {
    OpKind kind = OpKind::marker;
    CollectiveType collective = CollectiveType::none;
    bool peer_is_offset = false, is_bare = false;
    std::int64_t name = 0, dimension = -1, group = -1, peer = 0, root = 0;
    std::uint32_t first_dependency = 0, dependencies = 0;
    std::uint32_t before_on_stream = none;  ///< place in the program
    std::uint32_t before_in_group = none;   ///< of a collective: the one before it on its communicator
    std::uint32_t place_in_group = 0;       ///< ... and how many are before it
  };
  /// A GPU's iteration: one run of its program.
  struct Instance {
    std::uint32_t gpu = 0, iteration = 0, program = 0;
    std::size_t first = 0;       ///< of its runs, which are in the order of the program
    std::int64_t begin_ps = -1;  ///< when the first of them that has a row began
  };
  /// An operation that was executed, or passed over.
  struct Run {
    std::int64_t start_ps = -1, end_ps = -1;
    std::uint32_t instance = 0, op = 0;  ///< op: place in the program
    bool is_passed_over = false;         ///< in this iteration: it took no time
  };

  std::vector<std::vector<Step>> programs;
  std::vector<std::uint32_t> dependencies;  ///< of all programs: places in their programs
  std::vector<Instance> instances;          ///< iteration by iteration, in the order of GPUs
  std::vector<Run> runs;
  std::uint32_t gpus = 0, iterations = 0;  ///< gpus: those with a program

  [[nodiscard]] const Instance& instance_of(const Run& run) const { return instances[run.instance]; }
  [[nodiscard]] const Step& step_of(const Run& run) const {
    return programs[instance_of(run).program][run.op];
  }
  /// The same GPU's iteration before; none for the first.
  [[nodiscard]] std::uint32_t instance_before(std::uint32_t instance) const {
    return instance < gpus ? none : instance - gpus;
  }
};

/// Why `result` does not have what read_job() needs, and how to record it; empty: it has.
[[nodiscard]] std::string lacks_operations(const ResultReader& result);

/// Throws InputErrors for a damaged result. Takes 32 bytes an operation.
[[nodiscard]] RecordedJob read_job(const ResultReader& result);

}  // namespace lightrail
