#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workloads/import/uneven_exchange.hpp"
#include "workloads/job/kernel_class.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// A runtime or driver call that a replay needs.
struct RuntimeCall {
  enum class Kind : std::uint8_t { launch, event_record, stream_wait, stream_sync, device_sync, event_sync };
  Kind kind = Kind::launch;
  bool is_copy = false;      ///< cudaMemcpy*, may block the CPU
  bool is_blocking = false;  ///< a copy that always blocks the CPU (cudaMemcpy without Async)
  std::uint32_t thread = 0;  ///< index into RankTrace::threads
  std::int64_t start_ns = 0, duration_ns = 0;
  std::int64_t correlation = 0;
  std::int32_t stream = -1;  ///< index of the stream it acts on; -1: the trace does not say
  std::int32_t wait_on_stream = -1;
  std::int64_t record_correlation = 0;  ///< of the cudaEventRecord that a wait waits for; 0: unknown
  [[nodiscard]] std::int64_t end_ns() const { return start_ns + duration_ns; }
};

/// What a collective or a send or receive moved. Importing keeps one of each of all ranks, so it is small.
struct Communication {
  OpKind kind = OpKind::collective;
  CollectiveType type = CollectiveType::none;
  bool is_native = false;  ///< NCCL's own call: `peer_rank` is a rank of the communicator, and `bytes` of
                           ///< all-gather, reduce-scatter and all-to-all are one member's part
  std::uint32_t element_bytes = 0;
  std::uint32_t group = 0;      ///< index into RankTrace::groups
  std::int32_t exchange = -1;   ///< all-to-all: index into RankTrace::exchanges
  std::int64_t bytes = 0;       ///< nccl-tests' size [B]
  std::int64_t peer_rank = -1;  ///< send, recv
  std::int64_t event = 0;       ///< place in the file, for messages
};

/// What a rank gives and takes in an all-to-all.
struct ExchangeParts {
  ExchangePart in, out;
};

/// What a trace says of a process group.
struct ProcessGroup {
  std::int64_t size = 0;  ///< 0: unknown
  std::string description, name;
  std::vector<std::uint32_t> ranks;                       ///< empty: the trace does not say
  bool is_cut = false;                                    ///< `ranks` has the first ones alone
  bool is_communicator = false;                           ///< NCCL's, named by its hash
  auto operator<=>(const ProcessGroup&) const = default;  // NOLINT(modernize-use-nullptr): see Quantity
};

/// What a trace says of its rank's place in a communicator of NCCL.
struct Membership {
  std::string communicator;
  std::uint32_t place = 0, size = 0;
};

/// One kernel, copy or memset as it ran.
struct GpuOperation {
  std::int64_t start_ns = 0, duration_ns = 0;
  std::int64_t correlation = 0;
  std::uint32_t stream = 0;  ///< index into RankTrace::streams
  std::uint32_t name = 0;    ///< index into RankTrace::names
  KernelClass kernel_class = KernelClass::memory_bound;
  std::int32_t communication = -1;  ///< index into RankTrace::communications
  std::uint32_t parts = 1;          ///< communications from that index on that the kernel executes together
  bool is_pageable_copy = false;
  std::int64_t event = 0;  ///< place in the file, for messages
  [[nodiscard]] std::int64_t end_ns() const { return start_ns + duration_ns; }
  /// False for a part in an all-to-all that has no kernel, because the rank neither gives nor takes anything.
  [[nodiscard]] bool has_run() const { return correlation >= 0 || duration_ns > 0; }
};

/// One rank's trace, reduced to what runs and why; calls and operations ordered by start.
struct RankTrace {
  std::string path;
  std::uint32_t rank = 0, world_size = 0;
  bool has_rank = false;           ///< the trace or its name say the rank
  std::int64_t process = -1;       ///< of several in one file; -1: it has one
  std::int64_t device = -1;        ///< GPU of the process; -1: the file has one
  std::int64_t first_call_ns = 0;  ///< the earliest runtime call of any kind
  std::vector<std::string> threads, streams, names;
  std::vector<RuntimeCall> calls;
  std::vector<GpuOperation> operations;
  std::vector<Communication> communications;
  std::vector<ExchangeParts> exchanges;
  std::vector<ProcessGroup> groups;        ///< each once
  std::vector<ProcessGroup> known_groups;  ///< with whole lists, as distributedInfo has them
  std::vector<Membership> memberships;     ///< in communicators, where the trace says it
  std::vector<std::string> notes;          ///< what was inferred or left out
  std::string gpus;                        ///< that the profiler names, "NVIDIA A100-SXM4-80GB"

  /// Of all operations, also of those that were dropped.
  struct Figures {
    std::int64_t first_start_ns = 0, last_start_ns = 0, end_ns = 0, kernels_ns = 0, communication_ns = 0;
    std::int64_t exposed_ns = 0;  ///< communication without kernels beside it
  };
  Figures figures;
  bool is_reduced = false;
  /// Keeps collectives, sends and receives only: what ranks must know of each other. read_kineto_rank() gives
  /// the rest again.
  void reduce();
  [[nodiscard]] std::size_t bytes() const {
    return operations.size() * sizeof(GpuOperation) + calls.size() * sizeof(RuntimeCall);
  }
};

struct KinetoRankOptions {
  std::uint32_t element_bytes = 0;    ///< where an old trace does not name the data type; 0: refuse it
  std::string rank_pattern;           ///< of file names, # stands for the rank; "": by content, then by name
  std::string steps;                  ///< "2-4": of the profiler's steps only these; "": all
  std::int64_t collective_bytes = 0;  ///< of a collective without a size [B]; 0: refuse it
  std::map<std::uint32_t, std::string> execution_traces = {};  ///< by rank: joined with its Kineto trace
};

/// Reads one file: the trace of one rank, or of each GPU of its process, by device. Throws InputErrors naming
/// file and event.
[[nodiscard]] std::vector<RankTrace> read_kineto_file(const std::string& path,
                                                      const KinetoRankOptions& options);

}  // namespace lightrail
