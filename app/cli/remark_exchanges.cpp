#include "app/cli/remark_exchanges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/model/kind.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/collective/cost_model.hpp"
#include "workloads/collective/group_plan.hpp"
#include "workloads/collective/nccl_device.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {
namespace {

using Names = std::vector<std::string>;

/// In the scenario itself, not by its catalogue entry.
bool is_given(const Scenario& scenario, const std::string& attribute) {
  const Element* nccl = scenario.root.child("nccl");
  const Attribute* given = nccl ? nccl->find(attribute) : nullptr;
  return given && given->file == nccl->file;
}

/// Those of all collectives of a GPU.
class Borrowed {
 public:
  explicit Borrowed(const Model& model)
      : plans_(*model.resource<GroupPlans>()),
        algorithms_(*model.resource<AlgorithmRegistry>()),
        settings_(*model.resource<NcclSettings>()) {}

  void add(const Program& program, EndpointId gpu, const NcclDevice* own) {
    std::set<std::tuple<std::uint32_t, CollectiveType, Algorithm>> seen;
    for (const Op& op : program.ops) {
      if (op.kind != OpKind::collective) continue;
      if (!seen.insert({op.group.value, op.collective, op.algorithm}).second) continue;
      const GroupPlan& plan = plans_.of(op.group, gpu);
      if (plan.size() < 2) continue;
      const Algorithm algorithm = choose(algorithms_, settings_, plan, op).algorithm;
      for (const char* name : algorithms_[algorithm].borrowed(plan, own))
        if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.emplace_back(name);
    }
  }
  [[nodiscard]] Names names() && { return std::move(names_); }

 private:
  const GroupPlans& plans_;
  const AlgorithmRegistry& algorithms_;
  const NcclSettings& settings_;
  Names names_;
};

}  // namespace

ModelPart remark_exchanges(const Scenario& scenario, const Model& model) {
  ModelPart part;
  const auto* set = model.resource<ProgramSet>();
  const auto* book = model.resource<AddressBook>();
  if (!set || !book || !model.resource<GroupPlans>()) return part;
  Borrowed borrowed(model);
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // program, GPU kind
  for (std::uint32_t gpu = 0; gpu < set->program_of_gpu.size() && gpu < book->gpu_count; ++gpu) {
    const std::uint32_t program = set->program_of_gpu[gpu],
                        spec = model.components[book->component_of[gpu].value].spec;
    if (!seen.insert({program, spec}).second) continue;
    const auto* device = dynamic_cast<const NcclDeviceSpec*>(model.specs[spec].get());
    borrowed.add(set->programs[program], EndpointId{gpu}, device ? device->nccl_device() : nullptr);
  }
  Names names = std::move(borrowed).names();
  std::erase_if(names, [&scenario](const std::string& name) { return is_given(scenario, name); });
  if (!names.empty())
    part.remarks.push_back(
        {"collectives",
         fmt::format("GPUs have no {} in <collectives>: what <nccl> says holds, in the catalogue measured on "
                     "H100 (docs/limits.md)",
                     fmt::join(names, " and no "))});
  return part;
}

}  // namespace lightrail
