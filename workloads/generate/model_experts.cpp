#include "workloads/generate/model_experts.hpp"

#include <fmt/format.h>

namespace lightrail {

void check_deepep_experts(const Transformer& model, WorkloadContext& context) {
  const Element* nccl = context.scenario.root.child("nccl");
  const Attribute* stated = nccl && model.is_moe() ? nccl->find("deepep-experts") : nullptr;
  if (!stated || stated->file != nccl->file || stated->value == std::to_string(model.active_experts)) return;
  context.add_error(
      *nccl, "deepep-experts",
      fmt::format("{} contradicts active-experts = {} of the <model> (leave it out: exchanges of "
                  "a model take the model's)",
                  stated->value, model.active_experts));
}

}  // namespace lightrail
