#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "workloads/build_workload.hpp"
#include "workloads/collective/nccl_settings.hpp"
#include "workloads/generate/flows/flow_sizes.hpp"
#include "workloads/generate/inference/inference_plan.hpp"
#include "workloads/generate/inference/inference_requests.hpp"
#include "workloads/generate/training/gate.hpp"
#include "workloads/generate/training/training_checkpoint.hpp"
#include "workloads/generate/training/training_data.hpp"
#include "workloads/generate/training/transformer.hpp"
#include "workloads/job/workload_context.hpp"
#include "workloads/job_spec.hpp"

namespace lightrail {

namespace {

using Docs = std::vector<ParameterDoc>;

ParameterDoc text(const char* name, const char* doc, bool is_required = false) {
  return {name, "text", "", "", "", doc, is_required, {}};
}

/// What the kinds read, then what is said of a job; of one name the kinds'.
Docs workload_parameters(const WorkloadRegistry& workloads, const AlgorithmRegistry& algorithms) {
  Docs all = workloads.all_parameters(algorithms);
  for (ParameterDoc& own : job_parameters().documentation())
    if (std::none_of(all.begin(), all.end(), [&](const ParameterDoc& p) { return p.name == own.name; }))
      all.push_back(std::move(own));
  return all;
}

}  // namespace

std::vector<std::pair<std::string, Docs>> workload_documentation(const WorkloadRegistry& workloads,
                                                                 const AlgorithmRegistry& algorithms) {
  Docs group = digit_documentation();
  for (ParameterDoc& doc : group) doc.is_required = false;  // or <digit>, or <members>
  group.push_back(text("name", "'tp', 'dp', ...; 'world' is always there", true));
  return {
      {"groups", {}},
      {"group", group},
      {"digit", digit_documentation()},
      {"members", {text("gpus", "GPUs of one group: 0-7,16", true)}},
      {"workload", workload_parameters(workloads, algorithms)},
      {"model", transformer_parameters().documentation()},
      {"checkpoint", checkpoint_parameters().documentation()},
      {"data", data_parameters().documentation()},
      {"gate", gate_documentation()},
      {"pool", pool_documentation()},
      {"requests", requests_documentation()},
      {"flow-sizes", flow_sizes_documentation()},
      {"size", flow_size_documentation()},
      {"recorded-on", {}},
      {"program",
       {text("gpus", "GPUs that run it: 0-7,16 or all", true),
        text("role", "shown in results"),
        {"memory",
         unit_type<Bytes>(),
         unit_name<Bytes>(),
         "",
         "",
         "resident bytes, checked against the GPU",
         false,
         {}}}},
      {"op", operation_documentation(algorithms.names())},
      {"repeat",
       {{"count", unit_type<std::uint32_t>(), "1", "", "", "times its operations are repeated", true, {}}}},
      {"nccl", nccl_parameters(algorithms.names()).documentation()}};
}

}  // namespace lightrail
