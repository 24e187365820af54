#include <fmt/format.h>

#include <vector>

#include "workloads/generate/model_experts.hpp"
#include "workloads/generate/stage_program.hpp"
#include "workloads/generate/training_memory.hpp"
#include "workloads/transform_job.hpp"
#include "workloads/workload_context.hpp"

namespace lightrail {

namespace {

void check_memory(const TrainingMemory& memory, std::uint32_t stage, WorkloadContext& context) {
  if (context.gpu_memory_bytes == 0 || memory.total() <= context.gpu_memory_bytes) return;
  context.errors.add(context.element.error(
      fmt::format("<workload> kind 'training': stage {} does not fit a GPU of {:.2f} GiB ({})", stage,
                  static_cast<double>(context.gpu_memory_bytes) / (1ll << 30), memory_table(memory))));
}

void write_job(WorkloadContext& context) {
  std::size_t before = context.errors.size();
  Transformer model;
  TrainingPlan plan;
  const Element* element = context.element.child("model");
  if (!element) {
    context.errors.add(
        context.element.error("<workload> kind 'training' lacks its <model catalogue=\"models/...\"/>"));
    return;
  }
  read_transformer(*element, model, context.errors);
  if (context.errors.size() > before) return;
  read_training_plan(context.element, model, context.gpu_count, plan, context.errors);
  plan.learns_gate = context.learns_gate;
  check_deepep_experts(model, context);
  if (context.errors.size() > before) return;
  for (const char* dimension : {"tp", "dp", "ep", "pp"}) context.job.dimension(dimension);
  if (plan.cp > 1) context.job.dimension("cp");
  TrainingGroups groups = make_training_groups(model, plan, context);
  std::vector<TrainingMemory> memory;
  for (std::uint32_t stage = 0; stage < plan.pp; ++stage)
    check_memory(memory.emplace_back(training_memory(model, plan, stage)), stage, context);
  if (context.errors.size() > before) return;
  for (std::uint32_t stage = 0; stage < plan.pp; ++stage) {
    Program program;
    try {
      program = write_stage(model, plan, groups, stage, context.job);
    } catch (const InputErrors& problem) {
      return context.errors.add(
          context.element.error("<workload> kind 'training': " + problem.errors()[0].what));
    }
    program.memory_bytes = memory[stage].total();
    std::uint32_t index = context.job.program(std::move(program));
    std::uint32_t stage_gpus = plan.tp * plan.cp * plan.dp;
    for (std::uint32_t g = 0; g < stage_gpus; ++g) context.job.assign(stage * stage_gpus + g, index);
  }
}

}  // namespace

void make_training(WorkloadContext& context) {
  const Attribute* gpus = context.element.find("gpus");
  if (!gpus || gpus->value == "all") return write_job(context);
  const std::size_t before = context.errors.size();
  std::vector<std::uint32_t> placement;
  if (const std::string problem = parse_gpu_list(gpus->value, context.gpu_count, placement); !problem.empty())
    return context.add_error(context.element, "gpus", problem);
  const auto count = static_cast<std::uint32_t>(placement.size());
  JobBuilder builder(count);
  WorkloadContext part{context.element,
                       context.scenario,
                       count,
                       context.storage_servers,
                       context.hosts,
                       context.gpu_memory_bytes,
                       builder,
                       context.errors,
                       context.seed,
                       nullptr,
                       context.learns_gate};
  write_job(part);
  if (context.errors.size() > before) return;
  Job job = builder.take();
  try {
    place_job(job, placement, context.gpu_count);
  } catch (const InputErrors& problem) {
    return context.add_error(context.element, "gpus", problem.errors()[0].what);
  }
  context.job.job() = std::move(job);
}

}  // namespace lightrail
