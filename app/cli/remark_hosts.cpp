#include "app/cli/remark_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "components/gpu/execution/launch_server.hpp"
#include "engine/base/time.hpp"
#include "network/wire/address_book.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {
namespace {

/// Several kinds of hosts may have the same to say: once.
void add(ModelPart& part, std::string text) {
  if (std::none_of(part.remarks.begin(), part.remarks.end(),
                   [&text](const auto& remark) { return remark.text == text; }))
    part.remarks.push_back({"hosts", std::move(text)});
}

}  // namespace

ModelPart remark_hosts(const Model& model) {
  ModelPart part;
  const auto* set = model.resource<ProgramSet>();
  const auto* book = model.resource<AddressBook>();
  if (!set || !book) return part;
  std::vector<const HostCosts*> seen;
  for (std::uint32_t gpu = 0; gpu < set->program_of_gpu.size() && gpu < book->gpu_count; ++gpu) {
    const Program& program = set->programs[set->program_of_gpu[gpu]];
    if (!set->uses_hosts(program)) continue;
    const HostCosts* costs = host_costs_of(model, book->component_of[gpu]);
    if (!costs || std::find(seen.begin(), seen.end(), costs) != seen.end()) continue;
    seen.push_back(costs);
    add(part,
        fmt::format("a CPU takes {} to launch a kernel from the framework; the catalogue's times are "
                    "guesses, of which published steps ask for less than half to two and a half times "
                    "(docs/limits.md)",
                    format_time(host_time({.launches = 1, .calls = 1}, *costs, set->host_of(program)))));
    if (!set->host_of(program).is_bound && costs->unbound == 1)
      add(part, R"(cpu-binding="off" changes nothing where <host> has unbound="1")");
  }
  return part;
}

}  // namespace lightrail
