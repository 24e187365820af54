#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/generate/explicit/program_reader.hpp"
#include "workloads/generate/workload_kinds.hpp"

namespace lightrail {
namespace {

void make_explicit_programs(WorkloadContext& context) {
  std::vector<int> line_of(context.gpu_count, 0);
  for (const Element* at : context.element.children_named("program")) {
    std::vector<std::uint32_t> gpus;
    const Attribute* list = at->find("gpus");
    if (!list) {
      context.errors.add(at->error("<program> lacks the required attribute 'gpus'"));
      continue;
    }
    if (std::string problem = parse_gpu_list(list->value, context.gpu_count, gpus); !problem.empty()) {
      context.add_error(*at, "gpus", problem);
      continue;
    }
    std::uint32_t program = context.job.program(ProgramReader(*at, context).take());
    for (std::uint32_t gpu : gpus) {
      if (line_of[gpu] != 0) {
        context.add_error(*at, "gpus",
                          fmt::format("gpu {} already has the program of line {}", gpu, line_of[gpu]));
        break;
      }
      line_of[gpu] = at->line;
      context.job.assign(gpu, program);
    }
  }
}

}  // namespace

std::shared_ptr<const WorkloadKind> explicit_workload() {
  return workload_kind("explicit", "Operations one by one; children: <program> with <op> and <repeat>.",
                       make_explicit_programs);
}

}  // namespace lightrail
