#include "workloads/job/workload_registry.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/scenario/units.hpp"
#include "workloads/job/step_over.hpp"

namespace lightrail {

void WorkloadRegistry::add(std::shared_ptr<const WorkloadKind> kind) {
  if (find(kind->name))
    throw InputErrors(InputError{"", 0, "two kinds of workload are called '" + kind->name + "'"});
  kinds_.push_back(std::move(kind));
}

std::shared_ptr<const WorkloadKind> WorkloadRegistry::find(const std::string& name) const {
  for (const auto& kind : kinds_)
    if (kind->name == name) return kind;
  return nullptr;
}

std::shared_ptr<const WorkloadKind> WorkloadRegistry::of(const Element* workload) const {
  const Attribute* name = workload ? workload->find("kind") : nullptr;
  return name ? find(name->value) : nullptr;
}

std::vector<std::string> WorkloadRegistry::names() const {
  std::vector<std::string> all;
  for (const auto& kind : kinds_) all.push_back(kind->name);
  return all;
}

std::vector<ParameterDoc> WorkloadRegistry::common_parameters() const {
  std::vector<std::string> stepped;
  for (const auto& [name, what] : step_over_names()) stepped.push_back(name);
  return {
      {"kind", "text", "", "", "", "what the GPUs do", true, names()},
      {"iterations", unit_type<std::uint32_t>(), "1", "1", "", "times that every program runs", false, {}},
      {"step-over", "choice", "", "none", "", step_over_doc, false, std::move(stepped)},
      {"settling-iterations",
       unit_type<std::uint32_t>(),
       "1",
       "1",
       "1 ... 100000",
       "with step-over=\"iterations\": before the two that are compared",
       false,
       {}}};
}

std::vector<ParameterDoc> WorkloadRegistry::all_parameters(const AlgorithmRegistry& algorithms) const {
  std::vector<ParameterDoc> all = common_parameters();
  for (const auto& kind : kinds_)
    for (ParameterDoc own : kind->parameters(algorithms)) {
      if (std::any_of(all.begin(), all.end(), [&](const ParameterDoc& p) { return p.name == own.name; }))
        continue;
      own.is_required = false;
      all.push_back(std::move(own));
    }
  return all;
}

}  // namespace lightrail
