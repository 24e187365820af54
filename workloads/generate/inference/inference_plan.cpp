#include "workloads/generate/inference/inference_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "workloads/job/operation_names.hpp"

namespace lightrail {
namespace {

enum class PoolRole : std::uint8_t { both, prefill, decode };

struct PoolSpec {
  PoolRole role = PoolRole::both;
  std::uint32_t tp = 1, dp = 1, pp = 1, ep = 1, replicas = 0;
};

Describe<PoolSpec> replica_table() {
  Describe<PoolSpec> table;
  table.field("tp", &PoolSpec::tp, "tensor-parallel GPUs", 1u, 1024u)
      .field("dp", &PoolSpec::dp, "shares of a replica's attention, which exchange tokens for its experts",
             1u, 4096u)
      .field("pp", &PoolSpec::pp, "pipeline stages", 1u, 1024u)
      .field("ep", &PoolSpec::ep, "expert-parallel GPUs: tp x dp, or 1: experts are split over tp", 1u,
             65'536u)
      .field("replicas", &PoolSpec::replicas, "of the model; 0: as many as GPUs are left", 0u, 65'536u);
  return table;
}

Describe<PoolSpec> pool_table() {
  Describe<PoolSpec> table = replica_table();
  table.choice("role", &PoolSpec::role, "what its replicas do with a request",
               {{"both", PoolRole::both}, {"prefill", PoolRole::prefill}, {"decode", PoolRole::decode}});
  return table;
}

ServingPool pool_of(const PoolSpec& spec) {
  ServingPool pool;
  pool.prefills = spec.role != PoolRole::decode;
  pool.decodes = spec.role != PoolRole::prefill;
  pool.tp = spec.tp, pool.dp = spec.dp, pool.pp = spec.pp, pool.ep = spec.ep, pool.replicas = spec.replicas;
  return pool;
}

/// What cannot be split evenly.
void check_split(const Element& at, const ServingPool& pool, const Transformer& model, ErrorList& errors) {
  const auto refuse = [&](const std::string& what) {
    errors.add(at.error(fmt::format("<{}> of an inference workload: {}", at.name, what)));
  };
  const auto divides = [&](std::int64_t part, std::int64_t whole, const char* part_name,
                           const char* whole_name) {
    if (whole % part != 0)
      refuse(fmt::format("{} = {} does not divide {} = {}", part_name, part, whole_name, whole));
  };
  divides(pool.pp, model.layers, "pp", "layers");
  divides(pool.tp, model.heads, "tp", "heads");
  if (model.latent == 0 && pool.tp > model.kv())
    divides(model.kv(), pool.tp, "kv-heads", "tp");
  else if (model.latent == 0)
    divides(pool.tp, model.kv(), "tp", "kv-heads");
  if (model.is_parallel || model.is_hybrid()) refuse("serving a model with parallel=\"on\" or a pattern");
  if (pool.ep == 1) divides(pool.tp, model.ffn, "tp", "ffn");
  if (pool.ep == 1 && model.shared_experts > 0)
    divides(pool.tp, model.shared_width(), "tp", "the shared experts' ffn");
  if (model.dense_ffn > 0) divides(pool.tp, model.dense_ffn, "tp", "dense-ffn");
  if (pool.ep > 1 && !model.is_moe())
    return refuse(fmt::format("ep = {} for a model without experts", pool.ep));
  if (pool.ep > 1 && pool.ep != pool.tp * pool.dp)
    refuse(fmt::format("ep = {} is neither 1 nor tp x dp = {}", pool.ep, pool.tp * pool.dp));
  if (pool.ep > 1) divides(pool.ep, model.experts, "ep", "experts");
  if (pool.dp > 1 && pool.ep == 1)
    refuse(fmt::format("dp = {} without ep = tp x dp (independent copies are replicas)", pool.dp));
}

/// Parameters of a layer that one GPU holds; shared experts are whole where experts are spread.
std::int64_t layer_weights(const Transformer& model, const ServingPool& pool, std::int64_t layer) {
  const LayerParameters p = layer_parameters(model, split_of(pool), layer);
  std::int64_t weights = p.dense + p.expert;
  if (pool.ep > 1 && model.is_moe_layer(layer) && model.shared_experts > 0)
    weights += model.feed_forward_parameters(model.shared_width()) -
               model.feed_forward_parameters(model.shared_width() / pool.tp);
  return weights;
}

double gib(std::int64_t bytes) {
  return static_cast<double>(bytes) / static_cast<double>(std::int64_t{1} << 30);
}

}  // namespace

Describe<InferenceSpec> inference_parameters() {
  using S = InferenceSpec;
  const std::vector<std::pair<std::string, DataType>> types{{"bf16", DataType::bf16}, {"fp8", DataType::fp8}};
  Describe<S> table;
  table
      .field("batch-tokens", &S::batch_tokens, "tokens of a batch at most, of each data-parallel share", 1u,
             1u << 20)
      .field("sequences", &S::sequences, "requests at work at once, of each data-parallel share", 1u, 65'535u)
      .field("chunked-prefill", &S::is_chunked,
             "prompts are cut to fill batches beside the next tokens of others; off: whole and first")
      .field("kv-block", &S::kv_block, "tokens of a block of cached keys and values", 1u, 4096u)
      .field("kv-tokens", &S::kv_tokens, "cached tokens of a replica at most; 0: what its memory has",
             std::int64_t{0}, std::int64_t{1} << 40)
      .choice("dtype", &S::dtype, "of the matrix products and their weights", types)
      .choice("kv-dtype", &S::kv_dtype, "of cached keys and values", types)
      .field("memory-share", &S::memory_share,
             "of a GPU's memory that weights, activations and cache may take", 0.01, 1.0);
  return table;
}

std::vector<ParameterDoc> pool_documentation() {
  return pool_table().documentation();
}

std::vector<ParameterDoc> replica_documentation() {
  return replica_table().documentation();
}

std::vector<ServingPool> read_pools(const Element& workload, const Transformer& model, std::uint32_t gpus,
                                    ErrorList& errors) {
  const std::size_t before = errors.size();
  std::vector<const Element*> elements = workload.children_named("pool");
  const bool is_one = elements.empty();
  if (is_one) elements.push_back(&workload);
  std::vector<ServingPool> pools;
  std::uint32_t used = 0;
  for (const Element* element : elements) {
    PoolSpec spec;
    (is_one ? replica_table() : pool_table()).parse(*element, spec, errors);
    if (errors.size() > before) return {};
    ServingPool& pool = pools.emplace_back(pool_of(spec));
    check_split(*element, pool, model, errors);
    if (errors.size() > before) return {};
    if (pool.replicas == 0) pool.replicas = std::max(1u, (gpus - used) / pool.replica_gpus());
    if (std::uint64_t{pool.replica_gpus()} * pool.replicas > gpus - used) {
      errors.add(element->error(fmt::format(
          "<{}> of an inference workload: {} replicas of tp x dp x pp = {} GPUs need {}, {} are left",
          element->name, pool.replicas, pool.replica_gpus(), pool.gpus(), gpus - used)));
      return {};
    }
    pool.first_gpu = used;
    used += pool.gpus();
  }
  const auto count = [&](bool prefills, bool decodes) {
    return std::count_if(pools.begin(), pools.end(), [&](const ServingPool& p) {
      return p.prefills == prefills && p.decodes == decodes;
    });
  };
  const bool is_colocated = pools.size() == 1 && count(true, true) == 1;
  const bool is_split = pools.size() == 2 && count(true, false) == 1 && count(false, true) == 1;
  if (!is_colocated && !is_split)
    errors.add(workload.error(
        "an inference workload has one <pool role=\"both\"/>, or one of role 'prefill' and one "
        "of role 'decode'"));
  else if (is_split && pools[0].tp % pools[1].tp != 0 && pools[1].tp % pools[0].tp != 0)
    errors.add(elements[1]->error(fmt::format(
        "<pool> of an inference workload: tp = {} and tp = {} of the other pool: one must divide the other",
        pools[1].tp, pools[0].tp)));
  return pools;
}

TrainingPlan split_of(const ServingPool& pool) {
  TrainingPlan split;
  split.tp = pool.tp, split.pp = pool.pp, split.ep = pool.ep;
  split.etp = pool.ep > 1 ? 1 : 0;
  return split;
}

std::int64_t InferenceMemory::kv_tokens(std::uint32_t block) const {
  return std::max<std::int64_t>(0, usable - weights - activations) / kv_token / block * block;
}

InferenceMemory inference_memory(const Transformer& model, const InferenceSpec& spec, const ServingPool& pool,
                                 std::uint32_t stage, std::int64_t gpu_memory_bytes) {
  const TrainingPlan split = split_of(pool);
  const StageParameters parameters = stage_parameters(model, split, stage);
  InferenceMemory memory;
  // Embedding and output layer stay in two bytes.
  memory.weights = 2 * parameters.embedding;
  const std::int64_t layers = model.layers / pool.pp;
  for (std::int64_t l = stage * layers; l < (stage + 1) * layers; ++l)
    memory.weights += bytes_of(spec.dtype) * layer_weights(model, pool, l);
  const std::int64_t inner = (model.ffn_inputs() + 1) * model.ffn / (pool.ep > 1 ? 1 : pool.tp),
                     rows = model.is_moe() ? model.active_experts : 1, slices = pool.ep > 1 ? pool.tp : 1;
  memory.activations =
      2 * std::int64_t{spec.batch_tokens} *
          (4 * model.hidden + model.qkv_width() / pool.tp + rows * (inner + model.hidden) / slices) +
      4 * std::int64_t{spec.sequences} * padded_vocabulary(model, split);
  const std::int64_t heads = model.latent > 0 ? 1 : std::max<std::int64_t>(1, model.kv() / pool.tp);
  memory.kv_token = layers * heads * model.kv_head_elements() * bytes_of(spec.kv_dtype);
  memory.usable =
      static_cast<std::int64_t>(std::floor(spec.memory_share * static_cast<double>(gpu_memory_bytes)));
  return memory;
}

std::string memory_table(const InferenceMemory& m, std::uint32_t block) {
  return fmt::format(
      "weights {:.2f} GiB, activations {:.2f} GiB, keys and values {:.2f} GiB of {:.2f} GiB: {} tokens of {} "
      "B",
      gib(m.weights), gib(m.activations),
      gib(std::max<std::int64_t>(0, m.usable - m.weights - m.activations)), gib(m.usable), m.kv_tokens(block),
      m.kv_token);
}

}  // namespace lightrail
