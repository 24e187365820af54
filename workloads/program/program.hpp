#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"
#include "workloads/program/data_type.hpp"

namespace lightrail {

enum class OpKind : std::uint8_t {
  compute,        ///< a kernel: fixed duration (duration > 0) or timed from its shape
  host,           ///< CPU time on a host stream: launches, data loading, gaps
  collective,     ///< over the GPU's group of `group`
  send,           ///< to member `peer` of the group
  recv,           ///< from member `peer` of the group
  storage_read,   ///< `bytes` from storage server `peer` (PeerMode)
  storage_write,  ///< `bytes` to storage server `peer`
  host_copy,      ///< `bytes` between GPU and host memory (PCIe); peer 0: to host, 1: to GPU
  marker          ///< takes no time; names a point (start of a layer, of a micro-batch)
};

/// Op::root of an all-to-all whose demand is known when the exchange before it has ended.
inline constexpr std::uint32_t known_before = 1;
/// Op::root of one whose demand the past lets expect: this plus the index of the split matrix it had then.
inline constexpr std::uint32_t expects_split = 2;

enum class CollectiveType : std::uint8_t {
  none,
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  all_to_all,
  barrier
};
/// An id of AlgorithmRegistry, which knows what it is; auto_select: the cost decides.
enum class Algorithm : std::uint8_t { auto_select };
/// bare: of a send and a receive that are not NCCL's: each takes its Op::duration of software, its bytes are
/// those on the wire, and nobody waits for a clear-to-send.
enum class Protocol : std::uint8_t { auto_select, ll, ll128, simple, bare };

/// How a send or receive names its partner: group index, or my index + peer modulo the size. Likewise a read
/// or write its storage server: number, or the GPU's number + peer modulo the servers (those of the front end
/// left out), or modulo the servers of the front end (which are the last).
enum class PeerMode : std::uint8_t { index, offset, frontend };

/// How a storage write goes; or what a send, receive or host copy is a part of.
enum class IoMode : std::uint8_t {
  own,          ///< of the GPU's memory
  from_host,    ///< of the host's memory, which reads it and gives it to its NIC
  background,   ///< the same, and its stream goes on; its next start waits for its end, and so does other I/O
                ///< that it depends on: the bytes that it writes
  thread,       ///< the same, and its `duration` is that of a thread of the process that launches kernels:
                ///< both want Python's interpreter (HostSettings::switch_interval)
  in_memory,    ///< of a checkpoint in hosts' memories, of the state that the iteration before has left
  in_idle_time  ///< the same, and a send starts only while nothing else of its GPU sends to other servers
};
[[nodiscard]] inline bool is_in_background(IoMode io) {
  return io == IoMode::background || io == IoMode::thread;
}
[[nodiscard]] inline bool is_in_memory(IoMode io) {
  return io == IoMode::in_memory || io == IoMode::in_idle_time;
}

/// Lanes that a pair's sends and receives can be told apart by.
inline constexpr std::uint32_t max_send_lanes = 256;

/// One operation, 64 bytes. It starts when the operation before it on its stream and all its dependencies
/// have finished. Bytes follow nccl-tests: all-reduce, broadcast: the buffer; all-gather: the gathered
/// buffer; reduce-scatter: the input buffer; all-to-all: the whole send buffer of one GPU (all peers and
/// itself). The sends of a pair on one lane meet its receives on that lane in program order; messages of
/// different lanes may overtake each other.
struct Op {
  /// Whether it takes place in that iteration, as one of its operations.
  [[nodiscard]] bool is_due(std::uint32_t iteration) const {
    if (is_once) return iteration == 0;
    if (is_in_memory(io) && iteration == 0) return false;
    return !restores && (every == 1 || iteration % every == turn);
  }

  OpKind kind = OpKind::marker;
  CollectiveType collective = CollectiveType::none;
  Algorithm algorithm = Algorithm::auto_select;
  Protocol protocol = Protocol::auto_select;
  PeerMode peer_mode = PeerMode::index;
  IoMode io = IoMode::own;      ///< storage_write, host_copy, send, recv; of others `own`
  std::uint16_t stream = 0;     ///< index into Program::streams
  std::uint16_t dimension = 0;  ///< index into Model::dimensions: whose traffic this is (tp, dp, ep, pp)
  std::uint16_t host_work = 0;  ///< index into ProgramSet::host_work; 0: no CPU has to launch it
  std::uint32_t name = 0;       ///< index into Model::names
  GroupKindId group{};          ///< collectives, send, recv
  /// Takes place in iterations i with i % every == turn, and is passed over in others: checkpoints, and
  /// evaluation. All members of a group, and both sides of a message, have the same.
  std::uint16_t every = 1, turn = 0;
  std::int64_t bytes = 0;   ///< [B]
  SimTime duration{};       ///< [ps]; compute and host; 0 for compute: timed from the shape; send and
                            ///< recv of Protocol::bare: its software; I/O: what comes before its bytes
  std::uint32_t shape = 0;  ///< index into ProgramSet::shapes
  std::int32_t peer = 0;    ///< send, recv: the other member; all-to-all: of ExpertCounts (DeepEP),
                            ///< 0: as <nccl> says
  std::uint32_t first_dependency = 0;  ///< into Program::dependencies
  std::uint16_t dependency_count = 0;
  std::uint16_t split = 0;  ///< all-to-all-v, kernel of experts: of ProgramSet::splits; 0: equal
  std::uint16_t element_bytes = 2;
  bool is_once = false;  ///< I/O takes place in the first iteration alone; of others false
  /// A read of the job's checkpoint, or what takes its place where that is in memory: takes place when the
  /// job goes on from one, ahead of its iteration (and in the first iteration, if is_once); of others false.
  bool restores = false;
  /// broadcast: member that sends; send and recv: lane, 0 ... 255; all-to-all: what is known of its demand;
  /// host copy that restores: how far before this member the one is whose state it is
  std::uint32_t root = 0;
};

/// What a kernel computes, for the compute timing model.
enum class KernelKind : std::uint8_t { gemm, attention, memory_bound };
/// What shares a scale, of FP8 operands: a tensor, or a row of the left and a column of the right one.
enum class Scaling : std::uint8_t { tensorwise, rowwise };
struct KernelShape {
  KernelKind kind = KernelKind::gemm;
  DataType dtype = DataType::bf16;
  std::uint8_t causal = 0;
  std::uint8_t backward = 0;
  Scaling scaling = Scaling::tensorwise;  ///< GEMM of FP8; of others tensorwise
  /// GEMM: grouped or batched count; memory_bound: kernels that share the bytes, one after the other
  std::int64_t batch = 1;
  /// GEMM [elements]; attention: m = query length, n = key length, k = elements of a value (0: head_dim)
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t heads = 0, kv_heads = 0, head_dim = 0;  ///< attention; head_dim: elements of a query
  /// Memory_bound: read and written [B]. Attention: a token's keys and values where all heads share one
  /// latent [B]; 0: of kv_heads.
  std::int64_t bytes = 0;
};

/// What a CPU does to launch one operation, in counts; HostCosts says what each takes.
struct HostWork {
  std::uint32_t launches = 0;    ///< kernels, one by one
  std::uint32_t calls = 0;       ///< operations of the framework
  std::uint32_t modules = 0;     ///< modules of a library (Transformer Engine)
  std::uint32_t casts = 0;       ///< quantisations: scales and buffers beside their kernels
  std::uint32_t experts = 0;     ///< local experts that a library goes through one by one
  std::uint32_t graphs = 0;      ///< CUDA graphs that begin with the operation
  std::uint32_t nodes = 0;       ///< its kernels where a graph launches them
  std::uint32_t reads_back = 0;  ///< 1: the CPU waits for its end and reads what it has made

  friend bool operator==(const HostWork&, const HostWork&) = default;
  [[nodiscard]] std::uint32_t kernels() const { return launches + nodes; }
};

/// How the processes of a job use their CPUs.
struct HostSettings {
  bool is_bound = true;              ///< each to the cores next to its GPU
  bool launches_in_order = false;    ///< kernels of all streams start in program order
  std::uint32_t collects_every = 0;  ///< iterations from one garbage collection to the next; 0: none
  /// What it takes a thread to get Python's interpreter back while another one computes in it.
  SimTime switch_interval{};
};

/// One of several jobs that run side by side.
struct JobInfo {
  std::string name;
  SimTime start{};               ///< none of its GPUs begins before
  std::uint32_t iterations = 1;  ///< of its programs
  HostSettings host;             ///< of its processes
  bool uses_hosts = false;       ///< launching its operations takes time
};
/// Program::job of GPUs that have none.
inline constexpr std::uint32_t no_job = 0xffffffff;

/// Program::next of one that is executed again.
inline constexpr std::uint32_t itself = 0xffffffff;

/// What a program leaves out because it repeats itself: after the time between two of its markers, `measured`
/// periods, comes as much of `skipped` periods more, which is not executed but counted in (SteadyStretch).
struct SteppedOver {
  std::uint32_t begin = 0, middle = 0,
                end = 0;                    ///< op indices; half of the measured periods lie before `middle`
  std::uint32_t measured = 0, skipped = 0;  ///< periods; none skipped: the program leaves out nothing

  friend bool operator==(const SteppedOver&, const SteppedOver&) = default;
};

/// What a job leaves out because its iterations repeat each other: behind `settling` iterations and two that
/// are compared come `skipped` more like the second of these, which are not executed but counted in
/// (IterationStretch), and then the last one.
struct SteppedIterations {
  std::uint32_t settling = 1, skipped = 0;

  /// Of how many iterations it can be told at least that two are alike.
  [[nodiscard]] std::uint32_t simulated() const { return settling + 3; }
};

/// The operations that every GPU of one role executes, in launch order.
struct Program {
  std::string role;                  ///< "stage 0", "rank 3"
  std::vector<std::string> streams;  ///< "compute", "nccl tp", "host"; host streams start with "host"
  std::vector<Op> ops;
  std::vector<std::uint32_t> dependencies;  ///< op indices of the same program, each smaller than its user
  std::int64_t memory_bytes = 0;            ///< resident [B], checked against the GPU; 0: not known
  /// Index, larger than this program's, of what the same GPUs execute in the next iteration (iterations.hpp).
  std::uint32_t next = itself;
  SteppedOver stepped_over;
  std::uint32_t job = 0;  ///< index into ProgramSet::jobs, where there are any; or no_job

  [[nodiscard]] bool steps_over() const { return stepped_over.skipped > 0; }
};

/// What an all-to-all-v moves between the members of a group of `size`: shares of Op::bytes that member
/// `from` sends to member `to`, or the bytes themselves, of which senders may have different sums.
struct SplitMatrix {
  std::uint32_t size = 0;
  std::vector<double> share;  ///< size x size, row = sender; each row sums to 1; empty where `bytes` counts
  std::vector<std::int64_t> bytes = {};  ///< size x size, row = sender [B]; of all-to-alls alone
};

/// Everything the GPUs of a job execute: O(roles) memory, plus 4 bytes a GPU.
struct ProgramSet {
  std::vector<Program> programs;
  std::vector<std::uint32_t> program_of_gpu;  ///< by GPU (endpoint id)
  std::vector<KernelShape> shapes;
  std::vector<SplitMatrix> splits;       ///< index 0 is unused
  std::uint32_t iterations = 1;          ///< every GPU runs its program, or what follows it, so many times
  SteppedIterations stepped_iterations;  ///< in the midst of these, not counted among them
  std::vector<HostWork> host_work;       ///< index 0 is unused; empty: launching takes no time
  HostSettings host;
  std::vector<JobInfo> jobs;  ///< empty: one job, from time 0 on, of which the members above say the rest

  /// Micro-batches or iterations are counted in instead of simulated.
  [[nodiscard]] bool steps_over() const {
    return stepped_iterations.skipped > 0 ||
           std::any_of(programs.begin(), programs.end(), [](const Program& p) { return p.steps_over(); });
  }
  /// Times that `program`, of this set, or what follows it is executed.
  [[nodiscard]] std::uint32_t iterations_of(const Program& program) const {
    if (jobs.empty()) return iterations;
    return program.job == no_job ? 0 : jobs[program.job].iterations;
  }
  /// When GPUs with `program` begin [ps].
  [[nodiscard]] SimTime start_of(const Program& program) const {
    return jobs.empty() || program.job == no_job ? SimTime{0} : jobs[program.job].start;
  }
  [[nodiscard]] const HostSettings& host_of(const Program& program) const {
    return jobs.empty() || program.job == no_job ? host : jobs[program.job].host;
  }
  /// Launching the operations of `program` takes time.
  [[nodiscard]] bool uses_hosts(const Program& program) const {
    if (jobs.empty()) return !host_work.empty();
    return program.job != no_job && jobs[program.job].uses_hosts;
  }
};

}  // namespace lightrail
