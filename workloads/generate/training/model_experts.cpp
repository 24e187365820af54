#include "workloads/generate/training/model_experts.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace lightrail {

void check_deepep_experts(const Transformer& model, WorkloadContext& context) {
  const Element* nccl = context.scenario.root.child("nccl");
  if (!nccl || !model.is_moe()) return;
  auto check = [&](const char* name, std::int64_t of_model, const std::string& what) {
    const Attribute* stated = nccl->find(name);
    if (!stated || stated->file != nccl->file || stated->value == std::to_string(of_model)) return;
    context.add_error(*nccl, name,
                      fmt::format("{} contradicts {} of the <model> (leave it out: exchanges of a model take "
                                  "the model's)",
                                  stated->value, what));
  };
  check("deepep-experts", model.active_experts, fmt::format("active-experts = {}", model.active_experts));
  check("deepep-groups", model.node_limit,
        model.node_limit > 0 ? fmt::format("node-limit = {}", model.node_limit) : "no node-limit");
}

}  // namespace lightrail
