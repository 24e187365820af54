#include "workloads/generate/training/lora_plan.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "workloads/generate/training/named_bits.hpp"
#include "workloads/generate/training/training_plan.hpp"

namespace lightrail {
namespace {

constexpr std::array<NamedBit, 4> modules{{{"linear_qkv", lora_module::qkv},
                                           {"linear_proj", lora_module::proj},
                                           {"linear_fc1", lora_module::fc1},
                                           {"linear_fc2", lora_module::fc2}}};

}  // namespace

void describe_lora(Describe<TrainingPlan>& table) {
  table
      .field("lora-rank", &TrainingPlan::lora_rank,
             "low-rank adapters are trained, all else is frozen; 0: everything is trained", std::int64_t{0},
             std::int64_t{65'536})
      .field("lora-modules", &TrainingPlan::lora_names,
             "products with adapters: linear_qkv, linear_proj, linear_fc1, linear_fc2; all: these four, of a "
             "model "
             "with experts the first two");
}

void read_lora(const Transformer& model, TrainingPlan& plan,
               const std::function<void(const std::string&)>& refuse) {
  if (plan.lora_rank == 0) {
    if (plan.lora_names != "all") refuse("lora-modules without a lora-rank");
    return;
  }
  using namespace lora_module;
  if (plan.lora_names == "all")
    plan.lora = qkv | proj | (model.is_moe() ? 0 : fc1 | fc2);
  else if (const std::string unknown = add_named_bits(plan.lora_names, modules, plan.lora); !unknown.empty())
    refuse(fmt::format("lora-modules has '{}' (expected linear_qkv, linear_proj, linear_fc1, linear_fc2)",
                       unknown));
  if (model.is_moe() && (plan.lora & (fc1 | fc2)) != 0)
    refuse("lora-modules has linear_fc1 or linear_fc2 for a model with experts");
  if (model.has_latent_attention() || model.is_parallel || model.mtp_layers > 0)
    refuse(R"(lora-rank for a model with latent attention, parallel="on" or mtp-layers)");
  if (plan.schedule != Schedule::one_f_one_b) refuse("lora-rank with another schedule than 1f1b");
  if (plan.tensor_overlap == TensorOverlap::all) refuse(R"(lora-rank with tensor-overlap="all")");
  if (plan.shards_parameters) refuse("lora-rank with shard-parameters");
}

}  // namespace lightrail
