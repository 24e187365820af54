#pragma once
#include <cstdint>
#include <optional>

#include "engine/model/describe.hpp"
#include "workloads/job/workload_context.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

struct Transformer;
struct TrainingPlan;

/// <checkpoint> of a training job: every so many steps each GPU saves its part of the state, as PyTorch's
/// distributed checkpoint does: staged in host memory, planned and serialised, written to storage from there.
/// The step waits for the copy, or for all of it. The next save waits for the end of this one.
///
/// Leaves out: what planning exchanges, the metadata file, compression, and what serialising takes of the CPU
/// that launches.
struct TrainingCheckpoint {
  std::uint32_t every = 0;          ///< steps from one save to the next, the last of them first
  IoMode mode = IoMode::from_host;  ///< from_host: synchronous; background: asynchronous
  bool restores = false;            ///< the first step begins with reading the state
  bool is_read_again = false;       ///< the job may be restarted, and then reads it
  SimTime planning{};               ///< of a save, before its first byte
  BitRate serialise_rate{0};        ///< of a GPU's process; 0: serialising takes no time
};

[[nodiscard]] Describe<TrainingCheckpoint> checkpoint_parameters();

/// Reads <checkpoint> of the workload; nothing where there is none. Mistakes go to the context's errors: also
/// a system without storage or hosts, and jobs that leave out steps or replicas.
[[nodiscard]] std::optional<TrainingCheckpoint> read_checkpoint(const WorkloadContext& context);

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
