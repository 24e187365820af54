#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/scenario/element.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// What is derived from a program once, for all GPUs that execute it: O(operations), shared.
struct ProgramIndex {
  std::vector<std::vector<std::uint32_t>> stream_ops;  ///< by stream: op indices in order
  std::vector<std::uint32_t> position;                 ///< by op: its place in its stream
  /// By op: collectives before it on the same group kind. A communicator runs them one after the other in
  /// this order.
  std::vector<std::uint32_t> turn;
  /// By op: how many kernels from it on run one behind the other, it included: timed from their shapes, next
  /// to each other on their stream, with nothing of another stream waiting between them. 1 for everything
  /// else.
  std::vector<std::uint32_t> chain;
  std::vector<std::uint32_t> io_ops;      ///< storage and host copies; the index is the ordinal
  std::vector<std::uint32_t> io_ordinal;  ///< by op; meaningful for I/O operations
};

/// O(operations). The program has passed check_program().
[[nodiscard]] ProgramIndex make_program_index(const Program& program);

/// The resource: one index a program of ProgramSet, in its order.
struct ProgramIndexes {
  std::vector<ProgramIndex> of;
};

/// A kernel whose time the GPU kind's compute model gives.
[[nodiscard]] inline bool is_timed_from_shape(const Op& op) {
  return op.kind == OpKind::compute && op.duration == SimTime{0};
}
[[nodiscard]] inline bool is_io(OpKind kind) {
  return kind == OpKind::storage_read || kind == OpKind::storage_write || kind == OpKind::host_copy;
}
[[nodiscard]] inline bool is_communication(OpKind kind) {
  return is_io(kind) || kind == OpKind::collective || kind == OpKind::send || kind == OpKind::recv;
}

/// By NCCL's watch, which does not see what storage does.
[[nodiscard]] inline bool is_watched(OpKind kind) {
  return kind == OpKind::collective || kind == OpKind::send || kind == OpKind::recv;
}

/// The I/O operation of that ordinal that `gpu` executes, or null. `set` and `indexes` belong together.
[[nodiscard]] const Op* io_operation(const ProgramSet& set, const ProgramIndexes& indexes, EndpointId gpu,
                                     std::uint32_t ordinal);

/// How many there are.
struct StorageServers {
  std::uint32_t all = 0, frontend = 0;  ///< those of the front end are the last
};
/// The number of the storage server that `gpu` reads or writes with `op`. There is one such.
[[nodiscard]] inline std::uint32_t storage_server_of(const Op& op, EndpointId gpu,
                                                     const StorageServers& servers) {
  const auto peer = static_cast<std::uint32_t>(op.peer);
  const std::uint32_t others = servers.all - servers.frontend;
  switch (op.peer_mode) {
    case PeerMode::index:
      break;
    case PeerMode::offset:
      return (gpu.value + peer) % others;
    case PeerMode::frontend:
      return others + (gpu.value + peer) % servers.frontend;
  }
  return peer;
}

/// "op 17 'all_reduce' of program 'stage 0'".
[[nodiscard]] std::string describe_op(const Program& program, std::uint32_t op,
                                      const std::vector<std::string>& names);

/// What a program must keep to be executed: streams and dependencies that exist, sizes that are not negative,
/// at most 65,536 I/O operations. Every mistake goes to `errors`.
void check_program(const Program& program, const ProgramSet& set, const std::vector<std::string>& names,
                   ErrorList& errors);

}  // namespace lightrail
