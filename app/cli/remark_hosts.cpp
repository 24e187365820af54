#include "app/cli/remark_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "components/gpu/execution/launch_server.hpp"
#include "engine/base/time.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

ModelPart remark_hosts(const Model& model) {
  ModelPart part;
  const auto* set = model.resource<ProgramSet>();
  const auto* book = model.resource<AddressBook>();
  if (!set || !book || set->host_work.empty()) return part;
  std::vector<const HostCosts*> seen;
  for (std::uint32_t gpu = 0; gpu < set->program_of_gpu.size() && gpu < book->gpu_count; ++gpu) {
    const HostCosts* costs = host_costs_of(model, book->component_of[gpu]);
    if (!costs || std::find(seen.begin(), seen.end(), costs) != seen.end()) continue;
    seen.push_back(costs);
    part.remarks.push_back(
        {"hosts",
         fmt::format(
             "a CPU takes {} to launch a kernel from the framework, a guess within a factor of two; see "
             "docs/limits.md",
             format_time(host_time({.launches = 1, .calls = 1}, *costs, set->host)))});
  }
  return part;
}

}  // namespace lightrail
