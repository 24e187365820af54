#pragma once
#include <cstdint>
#include <optional>

#include "engine/base/quantity.hpp"
#include "engine/model/describe.hpp"
#include "workloads/job/workload_context.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

struct Transformer;
struct TrainingPlan;

/// What a step waits for when it saves.
enum class SaveMode : std::uint8_t {
  synchronous,   ///< until the state is in storage
  asynchronous,  ///< until it is in the own host's memory
  peers          ///< nothing: it goes to memory of the own and other servers beside the next step
};

/// Where an asynchronous save is planned and serialised, as PyTorch's AsyncCheckpointerType says.
enum class AsyncCheckpointer : std::uint8_t {
  process,  ///< of its own: takes nothing from the one that trains
  thread    ///< of the process that trains, which both want Python's interpreter
};

/// When a GPU sends pieces of its state to peers.
enum class PeerTraffic : std::uint8_t {
  idle,    ///< while nothing else of it sends to other servers
  at_once  ///< one behind the other
};

/// <checkpoint> of a training job: every so many steps each GPU saves its part of the state, as PyTorch's
/// distributed checkpoint does: staged in host memory, planned and serialised, written to storage from there.
/// The step waits for the copy, or for all of it. The next save waits for the end of this one.
///
/// To peers' memory, as Gemini (SOSP 2023) does it: servers come in groups of `copies`, and each GPU copies
/// all that it keeps of the state to its own host and to those of the same GPU of the others of its group:
/// piece by piece into buffers of that GPU, and from there to its host. Nothing of it changes between an
/// update and the next one, which waits for the end. Every `storage_every` steps there is an asynchronous
/// save to storage besides.
///
/// Leaves out: what planning exchanges, the metadata file, compression, what a process that serialises takes
/// of cores and memory, and how much memory hosts have.
struct TrainingCheckpoint {
  std::uint32_t every = 0;  ///< steps from one save to the next, the last of them first
  SaveMode mode = SaveMode::synchronous;
  bool restores = false;       ///< the first step begins with reading the state
  bool is_read_again = false;  ///< the job may be restarted, and then reads it
  SimTime planning{};          ///< of a save, before its first byte
  BitRate serialise_rate{0};   ///< of a GPU's process; 0: serialising takes no time
  AsyncCheckpointer checkpointer = AsyncCheckpointer::process;
  StorageNetwork network = StorageNetwork::storage;
  SimTime switch_interval = milliseconds(5);  ///< HostSettings::switch_interval, of threads
  // To peers alone.
  std::uint32_t copies = 2;         ///< in hosts' memories, the own one among them
  std::uint32_t storage_every = 0;  ///< steps from one save to storage to the next; 0: there is none
  Bytes piece{32 << 20};            ///< of the state, one message
  std::uint32_t buffers = 4;        ///< of a piece each, in the memory of a GPU that receives
  PeerTraffic traffic = PeerTraffic::idle;

  [[nodiscard]] bool is_to_peers() const { return mode == SaveMode::peers; }
  [[nodiscard]] bool uses_threads() const { return checkpointer == AsyncCheckpointer::thread; }
  /// Steps from one save to storage to the next; 0: there is none.
  [[nodiscard]] std::uint32_t to_storage_every() const { return is_to_peers() ? storage_every : every; }
};

[[nodiscard]] Describe<TrainingCheckpoint> checkpoint_parameters();

/// Reads <checkpoint> of the workload; nothing where there is none. Mistakes go to the context's errors: also
/// a system without storage or hosts, jobs that leave out steps or replicas, and threads that would take
/// nothing from training because launching it takes no time (`counts_launches`).
[[nodiscard]] std::optional<TrainingCheckpoint> read_checkpoint(WorkloadContext& context,
                                                                bool counts_launches);

/// What one GPU of a stage copies to host memory [B]: with sharded parameters all that it keeps of the state,
/// as PyTorch stages the local state before a plan says who writes which of the copies; else what it writes.
[[nodiscard]] std::int64_t staged_bytes(const Transformer& model, const TrainingPlan& plan,
                                        std::uint32_t stage);

/// What one GPU of a stage reads to go on from a checkpoint [B]: all that it keeps of the state.
[[nodiscard]] std::int64_t restored_bytes(const Transformer& model, const TrainingPlan& plan,
                                          std::uint32_t stage);

/// What one GPU of a stage writes [B]: parameters in two bytes, FP32 copy and moments, of which the
/// data-parallel replicas of a GPU save equal parts.
[[nodiscard]] std::int64_t saved_bytes(const Transformer& model, const TrainingPlan& plan,
                                       std::uint32_t stage);

}  // namespace lightrail
