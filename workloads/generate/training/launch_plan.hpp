#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "engine/model/describe.hpp"
#include "engine/scenario/element.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

struct TrainingPlan;
struct Transformer;

/// Whether launching takes time: what the <host> of a GPU says (HostCosts). Automatic: where every host says
/// so.
enum class HostModel : std::uint8_t { automatic, none, launches };
/// Products of a GPU's experts: a launch for each expert, or one kernel for all of them.
enum class ExpertKernels : std::uint8_t { each, grouped };
/// Quantising what a GPU's experts take: a call of the framework and layouts of scales for each expert, or
/// one call that launches a kernel for each and one for all layouts (Transformer Engine 2.8 and later).
enum class ExpertCasts : std::uint8_t { each, fused };
/// The router's small kernels, one by one or fused.
enum class RouterKernels : std::uint8_t { separate, fused };

/// Parts of a step that CUDA graphs launch, by the names that Megatron Core has for parts of a layer.
namespace graph_scope {
inline constexpr std::uint32_t attn = 1, mlp = 2, moe_router = 4, moe_preprocess = 8, iteration = 16;
}

/// How the CPUs of a job launch its steps: attributes of <workload kind="training">.
struct LaunchPlan {
  std::uint32_t graphs = 0;  ///< sum of graph_scope
  HostSettings settings;
};

/// Adds the attributes to those of a plan.
void describe_launches(Describe<TrainingPlan>& table);
/// Fills TrainingPlan::launch_plan; what cannot be goes to `refuse`.
void read_launches(const Element& workload, const Transformer& model, TrainingPlan& plan,
                   const std::function<void(const std::string&)>& refuse);

}  // namespace lightrail
