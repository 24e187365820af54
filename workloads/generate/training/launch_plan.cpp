#include "workloads/generate/training/launch_plan.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "workloads/generate/training/named_bits.hpp"
#include "workloads/generate/training/training_plan.hpp"

namespace lightrail {
namespace {

constexpr std::array<NamedBit, 5> scopes{{{"attn", graph_scope::attn},
                                          {"mlp", graph_scope::mlp},
                                          {"moe_router", graph_scope::moe_router},
                                          {"moe_preprocess", graph_scope::moe_preprocess},
                                          {"iteration", graph_scope::iteration}}};

/// "" or what is wrong.
std::string read_scopes(const std::string& text, std::uint32_t& graphs) {
  if (text == "none") return "";
  if (const std::string unknown = add_named_bits(text, scopes, graphs); !unknown.empty())
    return fmt::format("'{}' (expected attn, mlp, moe_router, moe_preprocess, or iteration, or none alone)",
                       unknown);
  if (graphs > graph_scope::iteration) return "iteration beside its parts";
  return "";
}

}  // namespace

void describe_launches(Describe<TrainingPlan>& table) {
  table
      .choice(
          "host", &TrainingPlan::host_model,
          "launches: what the <host> of a GPU says, in program order; none: launching takes no time; auto: "
          "launches where every <host> says how long one takes",
          {{"auto", HostModel::automatic}, {"none", HostModel::none}, {"launches", HostModel::launches}})
      .field("graphs", &TrainingPlan::graphs,
             "what CUDA graphs launch: none, attn, mlp, moe_router and moe_preprocess of every layer, or "
             "iteration (all passes of a step)")
      .choice("expert-kernels", &TrainingPlan::expert_kernels,
              "products of a GPU's experts: a launch for each expert, or one grouped kernel",
              {{"each", ExpertKernels::each}, {"grouped", ExpertKernels::grouped}})
      .choice("expert-casts", &TrainingPlan::expert_casts,
              "quantising what a GPU's experts take: a call of the framework for each expert, or one for all",
              {{"each", ExpertCasts::each}, {"fused", ExpertCasts::fused}})
      .choice("router-kernels", &TrainingPlan::router_kernels, "the router's small kernels",
              {{"fused", RouterKernels::fused}, {"separate", RouterKernels::separate}})
      .field("read-counts", &TrainingPlan::reads_counts,
             "the CPU reads how many tokens come to each expert before it goes on; off: buffers are as large "
             "as they can get")
      .field("cpu-binding", &TrainingPlan::binds_cpus, "every process is bound to the cores next to its GPU")
      .field("connections", &TrainingPlan::connections,
             "CUDA_DEVICE_MAX_CONNECTIONS; 1: kernels of all streams start in the order of their launches",
             1u, 32u)
      .field("collect-every", &TrainingPlan::collects_every,
             "iterations from one garbage collection to the next; 0: none", 0u, 1'000'000u);
}

void read_launches(const Element& workload, const Transformer& model, TrainingPlan& plan,
                   const std::function<void(const std::string&)>& refuse) {
  if (!plan.counts_launches()) {
    const TrainingPlan none;
    const std::pair<const char*, bool> given[] = {
        {"graphs", plan.graphs != none.graphs},
        {"expert-kernels", plan.expert_kernels != none.expert_kernels},
        {"expert-casts", plan.expert_casts != none.expert_casts},
        {"router-kernels", plan.router_kernels != none.router_kernels},
        {"read-counts", workload.find("read-counts") && plan.reads_counts != none.reads_counts},
        {"cpu-binding", plan.binds_cpus != none.binds_cpus},
        {"connections", plan.connections != none.connections},
        {"collect-every", plan.collects_every != none.collects_every}};
    for (const auto& [name, is_given] : given)
      if (is_given) refuse(fmt::format("{} without host=\"launches\"", name));
    return;
  }
  LaunchPlan& launches = plan.launch_plan;
  if (const std::string problem = read_scopes(plan.graphs, launches.graphs); !problem.empty())
    refuse(fmt::format("graphs has {}", problem));
  using namespace graph_scope;
  if (!model.is_moe() && (launches.graphs & (moe_router | moe_preprocess)) != 0)
    refuse("graphs of moe_router or moe_preprocess for a model without experts");
  if (launches.graphs == iteration && model.is_moe() && plan.reads_counts)
    refuse(R"(graphs="iteration" with experts needs read-counts="off" (a graph cannot wait for the CPU))");
  launches.settings = {.is_bound = plan.binds_cpus,
                       .launches_in_order = plan.connections == 1,
                       .collects_every = plan.collects_every};
}

}  // namespace lightrail
