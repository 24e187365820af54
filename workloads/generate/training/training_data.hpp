#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/model/describe.hpp"
#include "workloads/job/workload_context.hpp"

namespace lightrail {

struct TrainingPlan;

/// Where the samples of a replica lie.
enum class DataAccess : std::uint8_t {
  sharded,  ///< what a GPU reads lies one behind the other on one storage server: a read a micro-batch
  shuffled  ///< anywhere: a read a sample
};

/// How often the data have been read before.
enum class DataEpoch : std::uint8_t { first, later };

/// <data> of a training job: what its GPUs read from storage. Each GPU of the stages that load micro-batches
/// (StageWriter::load_batch) reads its part of each one, beside the passes before: the members of its tensor-
/// and context-parallel group together read a sample once. In a later epoch host memory has kept some of the
/// samples, which are not read again.
///
/// Leaves out: the way through the host's memory (what is read goes to the GPU's side of PCIe), how the
/// members of a group exchange their parts, files and their sizes, and who else uses the cache.
struct TrainingData {
  Bytes sample_size{};  ///< of one sequence, in storage
  DataAccess access = DataAccess::sharded;
  DataEpoch epoch = DataEpoch::first;
  Bytes dataset{};  ///< all samples; later epochs
  Bytes cache{};    ///< memory of one server that keeps samples; later epochs
  StorageNetwork network = StorageNetwork::storage;
  std::uint32_t storage_servers = 1;  ///< of that network; not given
  /// By stage: servers that its GPUs are in, which share its samples. Not given.
  std::vector<std::uint32_t> stage_servers;

  /// Of the first `samples` samples of a step, those that are not in host memory: a share of them that is
  /// spread evenly.
  [[nodiscard]] std::int64_t missed(std::int64_t samples, std::uint32_t stage) const;
  /// The share of samples that host memory keeps.
  [[nodiscard]] double kept_share(std::uint32_t stage) const;
};

[[nodiscard]] Describe<TrainingData> data_parameters();

/// Reads <data> of the workload; nothing where there is none. Mistakes go to the context's errors: also a
/// system without storage or hosts, and jobs that leave out micro-batches or replicas.
[[nodiscard]] std::optional<TrainingData> read_data(WorkloadContext& context);

/// Fills in the servers of storage and the stages, refuses what are too many or too large reads, and notes
/// what is assumed. The plan has been read without errors.
void place_data(TrainingData& data, const TrainingPlan& plan, WorkloadContext& context);

/// A read of one GPU.
struct DataRead {
  std::int64_t bytes = 0;
  std::uint32_t server = 0;  ///< behind the GPU's own
};

/// What one GPU of a stage reads for its micro-batch `number` of a step, one behind the other.
[[nodiscard]] std::vector<DataRead> data_reads(const TrainingData& data, const TrainingPlan& plan,
                                               std::uint32_t stage, std::int64_t number);

/// What one GPU copies from its host for a micro-batch [B]: its part of all its samples, cached or not.
[[nodiscard]] std::int64_t data_copy_bytes(const TrainingData& data, const TrainingPlan& plan);

}  // namespace lightrail
