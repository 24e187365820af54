#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "workloads/program/groups.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// Op::dimension of an operation that sends nothing.
inline constexpr std::uint16_t no_dimension = 0xffff;

/// A program has no more streams; those that importers make without a name of their own count too.
inline constexpr std::size_t max_streams = 65'535;

/// No single operation moves more than this [B]; larger sizes are refused as typing mistakes.
inline constexpr std::int64_t largest_operation_bytes = std::int64_t{1} << 44;

/// What was measured while a trace was captured, to be held against the simulated figures.
struct Capture {
  struct Rank {
    std::uint32_t gpu = 0;              ///< that replays it
    std::int64_t span_ps = 0;           ///< first GPU operation's start to the last one's end [ps]
    std::int64_t other_kernels_ps = 0;  ///< sum of the durations of kernels other than collectives [ps]
    std::int64_t collectives_ps = 0;    ///< sum of the durations of collectives, waiting included [ps]
    std::int64_t exposed_ps = -1;       ///< communication goes on and nothing else does [ps]; -1: not known
  };
  /// Collectives of one kind and size.
  struct Kind {
    CollectiveType type = CollectiveType::none;
    std::int64_t bytes = 0, count = 0;
    std::int64_t fastest_sum_ps = 0;  ///< of each the fastest member's duration [ps]
  };
  std::vector<Rank> ranks;       ///< empty: not a captured trace
  std::int64_t step_ps = 0;      ///< first runtime call of any rank to the last GPU operation's end [ps]
  std::int64_t collectives = 0;  ///< collectives a rank took part in, the most of any rank
  std::int64_t fastest_median_ps =
      0;                            ///< of each collective the fastest member's duration; their median [ps]
  std::int64_t fastest_sum_ps = 0;  ///< ... and their sum [ps]
  std::vector<Kind> kinds;          ///< by type and size; empty: not known
  std::string gpus;                 ///< that it was recorded on, as the profiler names them; "": not known
};

/// What the GPUs of a job do, before it is bound to a model: the value that importers and generators make,
/// that the trace file holds and that build_workload() installs. Names and dimensions are the job's own
/// indices.
struct Job {
  std::vector<std::string> names;  ///< names[0] is ""
  std::vector<std::string> dimensions;
  std::vector<GroupKind> groups;  ///< GroupKindId = index
  ProgramSet programs;
  Capture capture;
  std::vector<std::string> notes;  ///< what an importer inferred or left out, a sentence each
  std::uint32_t gpu_count = 0;     ///< GPUs that the groups and programs number
};

/// Builds a Job piece by piece.
class JobBuilder {
 public:
  explicit JobBuilder(std::uint32_t gpu_count);
  /// Index of a name, added when new.
  std::uint32_t name(const std::string& text);
  /// Index of a kind of traffic ("tp", "dp"), added when new.
  std::uint16_t dimension(const std::string& text);  ///< throws InputErrors past 65535
  std::uint32_t shape(const KernelShape& shape);     ///< equal shapes share one index
  std::uint16_t split(SplitMatrix matrix);           ///< so do equal matrices; throws InputErrors past 65535
  /// Adds a sentence to the job's notes, once.
  void note(const std::string& text);
  std::uint16_t host_work(const HostWork& work);  ///< and equal work; throws InputErrors past 65535
  /// Adds a kind of groups; the caller has checked it and its name.
  GroupKindId group(GroupKind kind);
  [[nodiscard]] GroupKindId find_group(const std::string& group_name) const;  ///< invalid when unknown
  std::uint32_t program(Program program);                                     ///< index
  /// Lets a GPU, 0 ... gpu_count - 1, run a program.
  void assign(std::uint32_t gpu, std::uint32_t program_index);
  Job& job() { return job_; }
  [[nodiscard]] const Job& job() const { return job_; }
  /// GPUs without a program get an empty one.
  Job take();

 private:
  Job job_;
  std::unordered_map<std::string, std::uint32_t> names_;
  std::unordered_multimap<std::uint64_t, std::uint16_t> splits_;  ///< by hash of their shares
};

/// Index of `name` in `program.streams`, added when new. Throws InputErrors past 255 streams.
std::uint16_t stream_of(Program& program, const std::string& name);

/// An operation of no dimension on that stream of `program`, with that name of the job.
[[nodiscard]] Op make_op(OpKind kind, Program& program, const std::string& stream, JobBuilder& job,
                         const std::string& name);

/// Appends `op` with its dependencies and returns its index. Equal and implied neighbours are kept as given.
std::uint32_t append(Program& program, Op op, std::span<const std::uint32_t> dependencies = {});

}  // namespace lightrail
