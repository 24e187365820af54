#include "workloads/registry.hpp"

#include "workloads/generate/workload_kinds.hpp"
#include "workloads/import/trace_workload.hpp"

namespace lightrail {

WorkloadRegistry built_in_workloads() {
  WorkloadRegistry workloads;
  for (const auto& kind : {
           trace_workload(),
           training_workload(),
           inference_workload(),
           collective_workload(),
           storage_workload(),
           flows_workload(),
           explicit_workload(),
       })
    workloads.add(kind);
  return workloads;
}

}  // namespace lightrail
