#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "workloads/import/kineto/kineto_collector.hpp"
#include "workloads/import/kineto/kineto_event.hpp"
#include "workloads/import/kineto/kineto_rank.hpp"
#include "workloads/import/kineto/nccl_metadata.hpp"

namespace lightrail {

/// What PyTorch's ExecutionTraceObserver wrote of one rank's communications. It has no times.
struct ExecutionTrace {
  std::unordered_map<std::int64_t, NcclMetadata> calls;  ///< record_param_comms by its rf_id
  std::vector<ProcessGroup> groups;                      ///< of "## process_group:init ##", with whole lists
};

/// Whether the file begins as an execution trace, with or without times (ET+), does: a schema and nodes.
[[nodiscard]] bool is_execution_trace(const std::string& path);

/// Reads an execution trace node by node. Throws InputErrors for broken JSON.
[[nodiscard]] ExecutionTrace read_execution_trace(const std::string& path);

/// Gives the calls of `events` what the execution trace in `path` says and they do not: the call of the same
/// record function ("Record function id" of Kineto, rf_id there). Returns the trace's process groups; `notes`
/// gets how many calls were joined. Throws InputErrors when none is.
[[nodiscard]] std::vector<ProcessGroup> join_execution_trace(const std::string& path,
                                                             const std::string& kineto_path,
                                                             KinetoEvents& events,
                                                             std::vector<std::string>& notes);

/// Reads an execution trace to which Chakra's trace_link has added times (ET+) as if it were Kineto's:
/// operators of the CPU, kernels that their operator launched, communication calls. Returns its process
/// groups. Throws InputErrors for one without times.
[[nodiscard]] std::vector<ProcessGroup> read_linked_trace(
    const std::string& path, const std::function<void(const KinetoEvent&)>& on_event);

/// Execution traces by rank, as their names say. Throws InputErrors for a name without a rank and for two of
/// one rank.
[[nodiscard]] std::map<std::uint32_t, std::string> execution_traces_by_rank(
    const std::vector<std::string>& files, const std::string& rank_pattern);

}  // namespace lightrail
