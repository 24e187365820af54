#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/model/describe.hpp"
#include "workloads/collective/algorithm_registry.hpp"
#include "workloads/job/workload_context.hpp"

namespace lightrail {

/// One kind of <workload>: its documentation, its attributes and how it makes a job. Kinds register in an
/// explicit list (workloads/registry.cpp) or come from a plugin.
class WorkloadKind {
 public:
  std::string name, doc;
  /// Attributes of <workload> beside `kind` and `iterations`; names of `algorithms` are choices of some.
  std::function<std::vector<ParameterDoc>(const AlgorithmRegistry& algorithms)> parameters;
  /// Reads <workload> and fills the context's job. Mistakes go to its errors.
  std::function<void(WorkloadContext&)> make;
  bool is_benchmark = false;     ///< `lightrail collective` runs it and prints nccl-tests' columns
  bool needs_scheduler = false;  ///< a <scheduler> is joined to every GPU
};

/// A kind that reads its attributes itself.
[[nodiscard]] inline std::shared_ptr<WorkloadKind> workload_kind(std::string name, std::string doc,
                                                                 void (*make)(WorkloadContext&)) {
  auto kind = std::make_shared<WorkloadKind>();
  kind->name = std::move(name);
  kind->doc = std::move(doc);
  kind->parameters = [](const AlgorithmRegistry&) { return std::vector<ParameterDoc>{}; };
  kind->make = make;
  return kind;
}

/// Fills `parameters` and `make` of a kind from one Describe table: `make_job` gets what was read, if there
/// is no mistake in it.
template <class XSpec>
void bind_workload(WorkloadKind& kind, const Describe<XSpec>& table,
                   void (*make_job)(WorkloadContext&, const XSpec&)) {
  kind.parameters = [table](const AlgorithmRegistry&) { return table.documentation(); };
  kind.make = [table, make_job](WorkloadContext& context) {
    const std::size_t before = context.errors.size();
    XSpec spec;
    table.parse(context.element, spec, context.errors);
    if (context.errors.size() == before) make_job(context, spec);
  };
}

}  // namespace lightrail
