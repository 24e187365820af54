#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "components/gpu/gpu_spec.hpp"
#include "engine/model/model.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// The first operation of `program` whose shape a GPU has no parameters for, and what it lacks; or "".
[[nodiscard]] std::string missing_kernel(const ComputeSpec& spec, const ProgramSet& set,
                                         std::uint32_t program, const std::vector<std::string>& names);

/// What `program` needs more than the memory of `gpu` (its name), or "".
[[nodiscard]] std::string missing_memory(const GpuSpec& spec, const Program& program, const std::string& gpu);

/// What of `program` takes longer on such a GPU than simulated time can count, or "". Needs missing_kernel()
/// == "".
[[nodiscard]] std::string endless_work(const ComputeSpec& spec, const ProgramSet& set, std::uint32_t program,
                                       const std::vector<std::string>& names);

/// That the operations of `program` have to be launched and nothing is known of the host of `gpu`, or "".
[[nodiscard]] std::string missing_host(const Model& model, const ProgramSet& set, std::uint32_t program,
                                       ComponentId gpu);

/// That `program` reads or writes storage, which has a fabric of its own that `gpu` has no way to, or "".
[[nodiscard]] std::string missing_storage_nic(const Model& model, const ProgramSet& set,
                                              std::uint32_t program, EndpointId gpu);

/// Every GPU that cannot execute its program, one complaint for each kind of GPU, way to storage and program.
void check_gpus(const Model& model, ErrorList& errors);

}  // namespace lightrail
