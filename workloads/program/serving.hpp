#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/id.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// A request to be served.
struct ServingRequest {
  SimTime arrival{};
  std::uint32_t prompt = 1, output = 1;  ///< [tokens]
};

/// Equal replicas of a model on consecutive GPUs. A replica's GPU number = tp index + tp * (dp index + dp *
/// stage).
struct ServingPool {
  bool prefills = true, decodes = true;
  std::uint32_t tp = 1, dp = 1, pp = 1, ep = 1;
  std::uint32_t first_gpu = 0, replicas = 1;
  std::int64_t kv_tokens = 0;  ///< room of a replica for keys and values [tokens]

  [[nodiscard]] std::uint32_t replica_gpus() const { return tp * dp * pp; }
  [[nodiscard]] std::uint32_t gpus() const { return replica_gpus() * replicas; }
  /// The first GPU of a replica, on whose host its server of requests runs: it takes the prompts of users.
  [[nodiscard]] EndpointId prompt_gpu(std::uint32_t replica) const {
    return EndpointId{first_gpu + replica * replica_gpus()};
  }
  /// The first GPU of its last stage, which sends users their tokens.
  [[nodiscard]] EndpointId token_gpu(std::uint32_t replica) const {
    return EndpointId{first_gpu + (replica + 1) * replica_gpus() - tp * dp};
  }
};

/// What requests and answers take on their way to and from users, where there are <users>.
struct UserTraffic {
  std::int64_t request_bytes = 0;                  ///< of a request beside its prompt [B]
  std::int64_t prompt_bytes = 4, token_bytes = 4;  ///< of a token of a prompt, of an answer [B]
  std::uint16_t dimension = 0;                     ///< into Model::dimensions
};

/// What one GPU of a replica works on in one batch: its share, where attention is data-parallel. Plain.
struct BatchSizes {
  std::uint32_t number = 0;
  std::uint32_t prefill_sequences = 0, prefill_tokens = 0;
  std::uint32_t twice_prefill_keys = 0;  ///< twice the keys that a token of a prompt sees, on average
  std::uint32_t decode_sequences = 0, decode_keys = 0;  ///< keys of a sequence, on average
  std::uint32_t logits = 0;                             ///< sequences that get a token

  [[nodiscard]] std::uint32_t tokens() const { return prefill_tokens + decode_sequences; }
};

/// What the size of an operation is counted in.
enum class BatchUnit : std::uint8_t {
  fixed,    ///< it has its size in the program
  tokens,   ///< tokens of the batch
  slices,   ///< tokens over tp, rounded up
  rows,     ///< tokens (with expert parallelism: slices) times the experts that each goes to
  logits,   ///< sequences that get a token
  prefill,  ///< tokens of prompts
  decode    ///< sequences that get their next token
};

/// How one program's operations follow from a batch. They are written for one unit each.
struct ServingProgram {
  std::uint32_t tp = 1, active_experts = 0;
  bool has_sliced_rows = false;
  std::vector<BatchUnit> unit_of_op;  ///< of its bytes
};

/// Units of `unit` in a batch.
[[nodiscard]] std::int64_t units_of(BatchUnit unit, const ServingProgram& program, const BatchSizes& batch);

/// The kernel that `shape`, written for one unit, is for a batch. Products of experts share their rows
/// evenly; fewer rows than experts are products of one row. Prompts of several sequences are one kernel that
/// sees as many keys as all of them. m = 0 and bytes = 0: nothing to do.
[[nodiscard]] KernelShape sized(const KernelShape& shape, BatchUnit unit, const ServingProgram& program,
                                const BatchSizes& batch);
[[nodiscard]] inline bool is_empty(const KernelShape& shape) {
  return shape.kind == KernelKind::memory_bound ? shape.bytes == 0 : shape.m == 0;
}

/// A Model resource: what an inference job serves, where, and how batches are made.
struct ServingPlan {
  /// Of a request's keys and values, what one GPU sends another at most [B] (KvMove).
  static constexpr std::int64_t max_kv_move = 64ll * UINT32_MAX;

  std::vector<ServingRequest> requests;  ///< in the order of arrival
  std::vector<ServingPool> pools;        ///< one, or one that prefills and one that decodes
  std::uint32_t batch_tokens = 8192;     ///< of a batch at most, of each data-parallel share
  std::uint32_t sequences = 256;         ///< at work at once, of each data-parallel share
  std::uint32_t kv_block = 16;           ///< keys and values are kept in blocks of so many tokens
  bool is_chunked = true;                ///< prompts are cut to fill batches; else they come whole and first
  std::int64_t layers = 1;
  std::uint32_t kv_heads = 1;      ///< whose keys and values are cached; 1: a latent that all heads share
  std::int64_t kv_head_bytes = 1;  ///< of a token, layer and such head [B]
  std::uint16_t kv_dimension = 0;  ///< of the traffic between pools, into Model::dimensions
  UserTraffic users;
  std::vector<BatchUnit> unit_of_shape;  ///< by ProgramSet::shapes
  std::vector<ServingProgram> programs;  ///< by ProgramSet::programs

  /// The GPU is in one of the pools.
  [[nodiscard]] bool serves(EndpointId gpu) const {
    return std::any_of(pools.begin(), pools.end(), [gpu](const ServingPool& pool) {
      return gpu.value >= pool.first_gpu && gpu.value - pool.first_gpu < pool.gpus();
    });
  }
  /// What a request is on its way in [B].
  [[nodiscard]] std::int64_t bytes_in(std::uint32_t request) const {
    return users.request_bytes + users.prompt_bytes * requests[request].prompt;
  }
  /// Tokens rounded up to blocks.
  [[nodiscard]] std::int64_t kv_room(std::int64_t tokens) const {
    return (tokens + kv_block - 1) / kv_block * kv_block;
  }
};

/// Heads whose keys and values one GPU of a pool keeps.
[[nodiscard]] inline std::uint32_t kv_heads_of_gpu(const ServingPlan& plan, const ServingPool& pool) {
  return pool.tp >= plan.kv_heads ? 1 : plan.kv_heads / pool.tp;
}

/// One GPU's part of what moves when a request goes from a replica that prefilled to one that decodes.
struct KvRoute {
  EndpointId from{}, to{};
  std::int64_t bytes_per_token = 0;
};
/// Every receiving GPU gets its layers and heads: each head of a layer from one GPU that has it, so from
/// several GPUs where no single one has all of them. `request` chooses the data-parallel shares. One tp must
/// divide the other.
[[nodiscard]] std::vector<KvRoute> kv_routes(const ServingPlan& plan, const ServingPool& from,
                                             std::uint32_t from_replica, const ServingPool& to,
                                             std::uint32_t to_replica, std::uint32_t request);

}  // namespace lightrail
