#include "workloads/generate/training/training_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "workloads/collective/expert_routes.hpp"
#include "workloads/generate/training/expert_balance.hpp"
#include "workloads/generate/training/expert_overlap.hpp"
#include "workloads/generate/training/fold_plan.hpp"
#include "workloads/generate/training/named_bits.hpp"
#include "workloads/generate/training/offload_plan.hpp"
#include "workloads/job/operation_names.hpp"

namespace lightrail {

namespace {

const std::vector<std::pair<std::string, Schedule>>& schedule_names() {
  static const std::vector<std::pair<std::string, Schedule>> all{
      {"1f1b", Schedule::one_f_one_b}, {"zb-h1", Schedule::zb_h1}, {"dualpipe", Schedule::dualpipe}};
  return all;
}

/// What a schedule other than 1F1B asks of the plan.
template <class Refuse>
void check_schedule(const TrainingPlan& plan, const Refuse& refuse) {
  if (plan.schedule == Schedule::one_f_one_b) return;
  std::string name;
  for (const auto& [text, schedule] : schedule_names())
    if (schedule == plan.schedule) name = text;
  if (plan.pp == 1) return refuse(fmt::format("schedule=\"{}\" with one pipeline stage (pp = 1)", name));
  if (plan.chunks > 1)
    return refuse(
        fmt::format("schedule=\"{}\" with chunks = {} (only 1f1b is interleaved)", name, plan.chunks));
  if (plan.schedule != Schedule::dualpipe) return;
  if (plan.pp % 2 != 0)
    return refuse(fmt::format("schedule=\"dualpipe\" with pp = {} (expected an even number)", plan.pp));
  if (plan.global_batch % (plan.micro_batch * plan.dp) != 0) return;  // has its own message
  const std::int64_t micro_batches = plan.micro_batches();
  if (micro_batches % 2 != 0 || micro_batches < 2 * std::int64_t{plan.pp})
    refuse(fmt::format(
        "schedule=\"dualpipe\" with {} micro-batches (expected an even number, at least 2 pp = {})",
        micro_batches, 2 * plan.pp));
}

constexpr std::array<NamedBit, 5> module_names{{{"core_attn", recompute_module::core_attn},
                                                {"layernorm", recompute_module::layernorm},
                                                {"mla_up_proj", recompute_module::mla_up_proj},
                                                {"moe_act", recompute_module::moe_act},
                                                {"mlp", recompute_module::mlp}}};

/// Parts of a layer that are computed again.
template <class Refuse>
void read_modules(const Transformer& model, TrainingPlan& plan, const Refuse& refuse) {
  if (plan.recompute != Recompute::modules && plan.module_names == "none") return;
  if (plan.recompute != Recompute::modules || plan.module_names == "none")
    return refuse(R"(recompute="modules" and recompute-modules need one another)");
  if (const std::string unknown = add_named_bits(plan.module_names, module_names, plan.modules);
      !unknown.empty())
    return refuse(fmt::format(
        "recompute-modules has '{}' (expected core_attn, layernorm, mla_up_proj, moe_act, mlp)", unknown));
  if (plan.recomputes(recompute_module::mla_up_proj) && !model.has_latent_attention())
    refuse("recompute-modules has 'mla_up_proj' for a model without latent attention");
  if (plan.recomputes(recompute_module::moe_act) && !model.is_moe())
    refuse("recompute-modules has 'moe_act' for a model without experts");
  if (plan.recomputes(recompute_module::mlp) && model.is_moe() && !model.has_dense_layers())
    refuse("recompute-modules has 'mlp' for a model without dense layers");
  if (plan.recomputes(recompute_module::mlp) && model.is_parallel)
    refuse(
        R"(recompute-modules has 'mlp' for a model with parallel="on", whose product of the input is attention's too)");
  if (plan.modules != 0 && plan.kernels == Kernels::separate)
    refuse(R"(recompute="modules" needs kernels="fused")");
}

/// What a model of layers of one block each asks of the plan.
template <class Refuse, class Divides>
void check_hybrid(const Transformer& model, const TrainingPlan& plan, const Refuse& refuse,
                  const Divides& divides) {
  if (!model.is_hybrid()) return;
  if (plan.cp > 1) refuse("a model with a pattern and cp > 1 (a state space's scan goes over all tokens)");
  if (plan.kernels == Kernels::separate) refuse(R"(a model with a pattern and kernels="separate")");
  if (plan.recompute == Recompute::light || plan.recompute == Recompute::modules)
    refuse(R"(a model with a pattern and recompute="light" or "modules")");
  if (plan.is_frozen()) refuse("lora-rank for a model with a pattern");
  if (model.mamba_heads == 0) return;
  if (divides(plan.tp, model.mamba_heads, "tp", "mamba-heads"))
    divides(plan.tp, model.mamba_groups, "tp", "mamba-groups");
}

}  // namespace

Describe<TrainingPlan> training_parameters(const AlgorithmRegistry& algorithms) {
  constexpr std::int64_t most = std::int64_t{1} << 30;
  auto one = std::int64_t{1};
  Describe<TrainingPlan> table;
  table.field("tp", &TrainingPlan::tp, "tensor-parallel GPUs", 1u, 1024u)
      .field("cp", &TrainingPlan::cp, "context-parallel GPUs: a sequence is cut over them", 1u, 1024u)
      .field("pp", &TrainingPlan::pp, "pipeline stages", 1u, 10'000u)
      .field("chunks", &TrainingPlan::chunks,
             "parts of the model that a stage holds; above 1: interleaved 1F1B", 1u, 1024u)
      .choice(
          "schedule", &TrainingPlan::schedule,
          "order of the passes: 1F1B (interleaved with chunks), ZB-H1 (gradients of weights fill idle time), "
          "DualPipe (micro-batches enter at both ends; two copies of the parameters)",
          schedule_names())
      .field("stage-layers", &TrainingPlan::stage_layers_text,
             "layers of the stages (with chunks: of pp x chunks parts, in the order of the model) where they "
             "are not even: 13x4 3x3 is 13 stages of 4 layers, then 3 of 3")
      .field("ep", &TrainingPlan::ep, "expert-parallel GPUs, a part of the data-parallel ones", 1u, 65'536u)
      .field("etp", &TrainingPlan::etp, "tensor-parallel GPUs of an expert; 0: tp", 0u, 1024u)
      .choice("expert-groups", &TrainingPlan::expert_groups,
              "with etp below tp: expert-parallel groups of neighbouring ranks, or of the same "
              "tensor-parallel rank "
              "of ep data-parallel replicas",
              {{"neighbours", ExpertGroups::neighbours}, {"replicas", ExpertGroups::replicas}})
      .field("sequence", &TrainingPlan::sequence, "tokens of a sequence", one, most)
      .field("micro-batch", &TrainingPlan::micro_batch, "sequences a forward pass works on", one, most)
      .required("global-batch", &TrainingPlan::global_batch,
                "sequences of a step, over all data-parallel replicas", one, most)
      .field("sequence-parallel", &TrainingPlan::sequence_parallel,
             "all-gather and reduce-scatter instead of all-reduce over tp")
      .field("distributed-optimizer", &TrainingPlan::distributed_optimizer, "optimiser state split over dp")
      .field("overlap-gradients", &TrainingPlan::overlap_gradients,
             "reduce gradients while the backward pass goes on")
      .field("bucket-size", &TrainingPlan::bucket_size,
             "overlapped gradients are reduced in pieces of so many parameters (Megatron's DDP buckets); 0: "
             "layer "
             "by layer",
             std::int64_t{0}, most)
      .field("overlap-parameters", &TrainingPlan::overlap_parameters,
             "distributed optimiser: gather a layer's parameters beside the next forward pass")
      .field("overlap-experts", &TrainingPlan::overlap_experts,
             "a forward and a backward pass of two micro-batches run together, each beside the other's "
             "exchange of experts' tokens, as Megatron Core's overlap_moe_expert_parallel_comm")
      .field("shard-parameters", &TrainingPlan::shards_parameters,
             "FSDP: parameters are split over dp x cp and gathered layer by layer, one ahead; with pp > 1 "
             "once a "
             "step")
      .field("shard", &TrainingPlan::shard, "FSDP: GPUs that share the parameters; fewer than dp x cp: HSDP",
             0u, 65'536u)
      .choice("recompute", &TrainingPlan::recompute, "activations computed again in the backward pass",
              {{"none", Recompute::none},
               {"selective", Recompute::selective},
               {"modules", Recompute::modules},
               {"light", Recompute::light},
               {"full", Recompute::full}})
      .field(
          "recompute-modules", &TrainingPlan::module_names,
          "with recompute=\"modules\", which parts of a layer: core_attn, layernorm, mla_up_proj, moe_act, "
          "mlp; else none")
      .choice("kernels", &TrainingPlan::kernels,
              "fused (FlashAttention, Transformer Engine), or one by one as before 2022",
              {{"fused", Kernels::fused}, {"separate", Kernels::separate}})
      .choice(
          "tensor-overlap", &TrainingPlan::tensor_overlap,
          "what hides the collectives over tp: nothing, products of the backward pass, all products in "
          "pieces",
          {{"none", TensorOverlap::none}, {"backward", TensorOverlap::backward}, {"all", TensorOverlap::all}})
      .choice("expert-exchange", &TrainingPlan::exchange, "algorithm of the experts' all-to-alls",
              algorithms.names_serving(CollectiveType::all_to_all))
      .choice("dispatch", &TrainingPlan::dispatch,
              "of tokens and gradients on their way to experts; what comes back is 2 bytes",
              {{"bf16", DataType::bf16}, {"fp8", DataType::fp8}})
      .field(
          "capacity-factor", &TrainingPlan::capacity_factor,
          "tokens that an expert takes from a GPU's micro-batch over their average, more are dropped; 0: all "
          "are taken",
          0.0, 1e3)
      .field("uneven-experts", &TrainingPlan::has_uneven_experts,
             "kernels of experts take as long as the tokens that the gate sends, not their average")
      .field("pad-to-capacity", &TrainingPlan::pads_to_capacity,
             "every expert works on its whole capacity, and all-to-alls are even")
      .field("dropout", &TrainingPlan::dropout, "kernels and masks of dropout")
      .field("edges-count", &TrainingPlan::edges_count,
             "embedding and output layer count as a layer each when stages are made equal")
      .field("scatter-gather", &TrainingPlan::scatter_gather,
             "without sequence-parallel: stages send tp-th parts of an activation, and gather them")
      .choice("dtype", &TrainingPlan::dtype, "of the matrix products", data_type_names())
      .choice(
          "float8-recipe", &TrainingPlan::float8_recipe,
          "scales of FP8 operands: delayed (from steps before; Transformer Engine), or of what is cast, a "
          "tensor or a row and column (torchao)",
          {{"delayed", Float8Recipe::delayed},
           {"tensorwise", Float8Recipe::tensorwise},
           {"rowwise", Float8Recipe::rowwise}})
      .field("fused-casts", &TrainingPlan::fuses_casts,
             "mxfp8 and nvfp4: norms and activations write what products take, with its scales")
      .choice("gradients", &TrainingPlan::gradients, "accumulated and reduced as",
              {{"fp32", DataType::fp32}, {"bf16", DataType::bf16}})
      .field(
          "loading-time", &TrainingPlan::loading_time,
          "of a CPU to make a micro-batch for a GPU of the first and last stage, which then copies it from "
          "its host; 0: data are there",
          SimTime{0}, milliseconds(1'000'000))
      .field("loading-ahead", &TrainingPlan::loading_ahead,
             "micro-batches that are made ahead, beside the passes before", 1u, 1024u)
      .field("eval-interval", &TrainingPlan::eval_interval,
             "steps from one evaluation to the next, each behind the update; 0: none", 0u, 65'535u)
      .field("eval-iters", &TrainingPlan::eval_iters, "global batches of an evaluation", 1u, 10'000u)
      .choice("moments", &TrainingPlan::moments, "the optimiser's, beside its FP32 copy of the parameters",
              {{"fp32", DataType::fp32}, {"bf16", DataType::bf16}})
      .choice("memory-check", &TrainingPlan::memory_check,
              "a plan that does not fit its GPUs by the estimate: refuse, or warn and run it as it is",
              {{"refuse", MemoryCheck::refuse}, {"warn", MemoryCheck::warn}});
  describe_balance(table);
  describe_lora(table);
  describe_offload(table);
  describe_launches(table);
  describe_step_over(table);
  describe_fold(table);
  return table;
}

void read_training_plan(const Element& workload, const Transformer& model, std::uint32_t gpus,
                        const AlgorithmRegistry& algorithms, TrainingPlan& plan, ErrorList& errors) {
  std::size_t before = errors.size();
  training_parameters(algorithms).parse(workload, plan, errors);
  if (errors.size() > before) return;
  if (plan.exchange != Algorithm::auto_select) plan.token_buffers = algorithms[plan.exchange].token_buffers();
  auto refuse = [&](const std::string& what) {
    errors.add(workload.error("<workload> kind 'training': " + what));
  };
  auto divides = [&](std::int64_t part, std::int64_t whole, const char* part_name, const char* whole_name) {
    if (whole % part == 0) return true;
    refuse(fmt::format("{} = {} does not divide {} = {}", part_name, part, whole_name, whole));
    return false;
  };
  std::int64_t model_gpus = std::int64_t{plan.tp} * plan.cp * plan.pp;
  if (!divides(model_gpus, gpus, plan.cp > 1 ? "tp x cp x pp" : "tp x pp", "the GPUs")) return;
  plan.dp = static_cast<std::uint32_t>(gpus / model_gpus) * plan.fold;
  if (plan.etp == 0 || plan.etp == plan.tp || plan.repeats_experts())
    divides(plan.ep, plan.simulated_data_gpus(), "ep", plan.cp > 1 ? "dp x cp" : "dp");
  else
    divides(plan.expert_tp() * plan.ep, plan.stage_gpus(), "etp x ep", "tp x cp x dp");
  check_fold(model, plan, refuse);
  if (plan.repeats_experts()) divides(plan.expert_tp(), plan.tp, "etp", "tp");
  if (plan.expert_groups == ExpertGroups::replicas && !(model.is_moe() && plan.repeats_experts()))
    refuse("expert-groups=\"replicas\" needs a model with experts and etp below tp");
  if (plan.etp > 0 && !model.is_moe()) refuse(fmt::format("etp = {} for a model without experts", plan.etp));
  if (plan.cp > 1) divides(2 * std::int64_t{plan.cp}, plan.sequence, "2 cp", "sequence");
  if (model.window > 0 && (plan.cp > 1 || plan.kernels == Kernels::separate))
    refuse("a model with window and cp > 1 or kernels=\"separate\"");
  if (plan.cp > 1 && plan.kernels == Kernels::separate) refuse("cp > 1 needs kernels=\"fused\"");
  if (plan.overlap_parameters && (!plan.distributed_optimizer || plan.shards_parameters))
    refuse(R"(overlap-parameters needs distributed-optimizer="on" and shard-parameters="off")");
  if (plan.bucket_size > 0 && (!plan.overlap_gradients || plan.shards_parameters))
    refuse(R"(bucket-size needs overlap-gradients="on" and shard-parameters="off")");
  else if (plan.bucket_size > 0 && plan.bucket_size < 10'000)
    refuse(fmt::format("bucket-size = {} (a collective needs at least 10000 parameters)", plan.bucket_size));
  if (plan.shard > 0 && !plan.shards_parameters) refuse("shard without shard-parameters=\"on\"");
  if (plan.shards_parameters) {
    if (plan.schedule == Schedule::dualpipe) refuse(R"(shard-parameters with schedule="dualpipe")");
    if (plan.repeats_experts()) refuse(R"(shard-parameters with expert-groups="replicas")");
    if (!plan.distributed_optimizer) refuse("shard-parameters needs distributed-optimizer=\"on\"");
    if (divides(plan.shard_gpus(), plan.data_gpus(), "shard", plan.cp > 1 ? "dp x cp" : "dp") &&
        model.is_moe())
      divides(plan.expert_tp() * plan.ep, plan.tp * plan.shard_gpus(), "etp x ep", "tp x shard");
  }
  if (plan.scatter_gather && plan.sequence_parallel)
    refuse(R"(scatter-gather="on" needs sequence-parallel="off" (which sends tp-th parts anyway))");
  if (plan.scatter_gather) divides(plan.tp, plan.tokens(), "tp", "tokens of a micro-batch");
  if (plan.tensor_overlap == TensorOverlap::all && !plan.sequence_parallel)
    refuse(R"(tensor-overlap="all" needs sequence-parallel="on")");
  if (plan.stage_layers_text != "even") {
    if (const std::string problem = read_stage_layers(model, plan); !problem.empty())
      refuse(fmt::format("stage-layers=\"{}\" {}", plan.stage_layers_text, problem));
  } else if (plan.edges_count && plan.pp > 1) {
    divides(plan.model_stages(), model.layers + 2, plan.chunks > 1 ? "pp x chunks" : "pp",
            "layers + 2 (edges-count=\"on\")");
  } else if (divides(plan.pp, model.layers, "pp", "layers") && plan.chunks > 1) {
    divides(plan.chunks, model.layers / plan.pp, "chunks", "layers / pp");
  }
  if (plan.chunks > 1 && plan.pp == 1)
    refuse(fmt::format("chunks = {} with one pipeline stage (pp = 1)", plan.chunks));
  check_schedule(plan, refuse);
  check_expert_overlap(model, plan, refuse);
  divides(plan.tp, model.heads, "tp", "heads");
  if (plan.tp > model.kv())
    divides(model.kv(), plan.tp, "kv-heads", "tp");
  else
    divides(plan.tp, model.kv(), "tp", "kv-heads");
  divides(model.is_moe() ? plan.expert_tp() : plan.tp, model.ffn,
          model.is_moe() && plan.etp > 0 ? "etp" : "tp", "ffn");
  if (model.dense_ffn > 0) divides(plan.tp, model.dense_ffn, "tp", "dense-ffn");
  if (model.shared_experts > 0) divides(plan.tp, model.shared_width(), "tp", "shared-experts x shared-ffn");
  check_hybrid(model, plan, refuse, divides);
  if (model.has_latent_attention() && plan.kernels == Kernels::separate)
    refuse("latent attention (rope-dim) with kernels=\"separate\"");
  if (model.has_latent_attention() && plan.tp > 1 && !plan.sequence_parallel)
    refuse("latent attention (rope-dim) with tp > 1 needs sequence-parallel=\"on\"");
  if (plan.sequence_parallel)
    divides(plan.tp, plan.sequence / plan.cp, "tp", plan.cp > 1 ? "sequence / cp" : "sequence");
  if (model.is_moe()) {
    divides(plan.ep, model.experts, "ep", "experts");
    read_gate(workload, plan.ep, model.experts, plan.gate, errors);
    read_balance(workload, model, plan, refuse);
    if (plan.gate.is_given() && plan.ep == 1)
      refuse(
          "a <gate> or expert-balance=\"forced\" without expert parallelism (ep = 1), where all tokens stay");
    if (plan.pads_to_capacity && plan.capacity_factor == 0)
      refuse("pad-to-capacity=\"on\" without a capacity-factor");
    if (plan.capacity_factor >= 1 && !plan.pads_to_capacity && !plan.gate.is_given())
      refuse(
          fmt::format("capacity-factor = {} without a <gate>, expert-balance=\"forced\" or "
                      "pad-to-capacity=\"on\" (an even "
                      "gate fills no expert beyond its average: nothing would be dropped)",
                      plan.capacity_factor));
    if (plan.has_uneven_experts && (plan.ep == 1 || plan.gate.is_even()))
      refuse("uneven-experts=\"on\" without an uneven <gate> over ep > 1");
    if (plan.pads_to_capacity && plan.gate.is_given())
      refuse("pad-to-capacity=\"on\" with a <gate>: every expert gets its capacity, wherever tokens go");
  } else if (plan.ep > 1)
    refuse(fmt::format("ep = {} for a model without experts", plan.ep));
  if (!model.is_moe()) refuse_balance(plan, refuse);
  if (!model.is_moe() && (plan.capacity_factor > 0 || plan.pads_to_capacity || plan.has_uneven_experts))
    refuse("capacity-factor, pad-to-capacity or uneven-experts for a model without experts");
  if (plan.ep == 1 && (plan.exchange != Algorithm::auto_select || plan.dispatch != DataType::bf16))
    refuse("expert-exchange or dispatch without expert parallelism (ep = 1)");
  if (plan.float8_recipe != Float8Recipe::delayed) {
    const char* recipe = plan.is_rowwise() ? "rowwise" : "tensorwise";
    if (plan.dtype != DataType::fp8)
      refuse(fmt::format(R"(float8-recipe="{}" without dtype="fp8")", recipe));
    else if (plan.dispatch == DataType::fp8)
      refuse(fmt::format(R"(float8-recipe="{}" with dispatch="fp8" (tokens bring their scales))", recipe));
  }
  if (has_block_scales(plan.dtype) && plan.dispatch == DataType::fp8)
    refuse(fmt::format(R"(dtype="{}" with dispatch="fp8" (scales of other blocks))", to_string(plan.dtype)));
  if (plan.fuses_casts && !has_block_scales(plan.dtype))
    refuse(R"(fused-casts without dtype="mxfp8" or "nvfp4")");
  read_modules(model, plan, refuse);
  if (workload.find("loading-ahead") && plan.loading_time == SimTime{0} && !workload.child("data"))
    refuse("loading-ahead without a loading-time or <data>");
  if (workload.find("eval-iters") && plan.eval_interval == 0) refuse("eval-iters without an eval-interval");
  if (plan.eval_interval > 0 && plan.gate.is_given())
    refuse("eval-interval with a <gate>: it does not say where the tokens of an evaluation go");
  if (plan.eval_interval > 0 && has_pipeline(step_over_of(workload)))
    refuse(R"(eval-interval with step-over="pipeline")");
  if (plan.eval_interval > 0 && plan.micro_batches() * plan.eval_iters > 100'000)
    refuse(fmt::format("{} micro-batches an evaluation", plan.micro_batches() * plan.eval_iters));
  if (plan.recompute == Recompute::light && plan.kernels == Kernels::separate)
    refuse(R"(recompute="light" needs kernels="fused")");
  if (model.is_moe() && plan.tp > 1 && !plan.sequence_parallel)
    refuse(
        "a model with experts and tp > 1 needs sequence-parallel=\"on\" (else tokens would be dispatched tp "
        "times)");
  if (divides(plan.micro_batch * plan.dp, plan.global_batch, "micro-batch x dp", "global-batch") &&
      plan.chunks > 1)
    divides(plan.pp, plan.micro_batches(), "pp", "micro-batches (as chunks > 1 needs)");
  if (plan.pads_to_capacity && !workload.find("read-counts")) plan.reads_counts = false;
  read_lora(model, plan, refuse);
  check_offload(plan, refuse);
  read_launches(workload, model, plan, refuse);
  if (plan.tokens() > (std::int64_t{1} << 30))
    refuse(fmt::format("a micro-batch of {} tokens", plan.tokens()));
  plan.step_over = step_over_of(workload);
  check_step_over(plan, refuse);
  if (plan.micro_batches() > 100'000) refuse(fmt::format("{} micro-batches a step", plan.micro_batches()));
}

std::int64_t TrainingPlan::arrived_tokens(const Transformer& model, std::int64_t copies) const {
  const auto limit = static_cast<std::uint32_t>(model.node_limit);
  const ExpertRoutes routes{static_cast<std::uint32_t>(model.active_experts), limit > 0 ? limit : ep_servers};
  const double once = ep * routes.reach(1.0 / ep, ep_servers) / static_cast<double>(model.active_experts);
  return std::llround(static_cast<double>(copies) * once);
}

std::int64_t TrainingPlan::capacity(const Transformer& model) const {
  const double average =
      static_cast<double>(local_tokens() * model.active_experts) / static_cast<double>(model.experts);
  // What a factor such as 1.1 lacks or has in binary is no token.
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(capacity_factor * average - 1e-6)));
}

double TrainingPlan::max_share(const Transformer& model) const {
  if (capacity_factor == 0) return 1;
  const std::int64_t most = capacity(model) * model.experts / ep;
  return static_cast<double>(most) / static_cast<double>(local_tokens() * model.active_experts);
}

TrainingPlan TrainingPlan::of_iteration(std::int64_t iteration) const {
  TrainingPlan plan = *this;
  if (gate.drifts_over_iterations) plan.gate.first += iteration * micro_batches();
  return plan;
}

}  // namespace lightrail
