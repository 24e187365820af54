#include "workloads/import/trace_workload.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "engine/model/describe.hpp"
#include "workloads/import/gpu_roofs.hpp"
#include "workloads/import/kineto.hpp"
#include "workloads/trace_file.hpp"
#include "workloads/transform_job.hpp"

namespace lightrail {

namespace {

enum class Format : std::uint8_t { lightrail, kineto };

struct TraceSpec {
  Format format = Format::lightrail;
  std::string file, files, gpus;
  std::uint32_t element_bytes = 0;
  double host_scale = 1;
};

Describe<TraceSpec> trace_table() {
  Describe<TraceSpec> table;
  table.choice("format", &TraceSpec::format, "lightrail: one HDF5 file; kineto: one JSON file a rank",
               {{"lightrail", Format::lightrail}, {"kineto", Format::kineto}});
  table.field("file", &TraceSpec::file, "trace written by 'lightrail trace', relative to the scenario")
      .field("files", &TraceSpec::files, "pattern of the ranks' files, relative to the scenario")
      .field("gpus", &TraceSpec::gpus, "GPU of each rank, in the order of ranks; default: GPU r runs rank r")
      .field("element-bytes", &TraceSpec::element_bytes,
             "where an old Kineto trace does not name a data type", 0u, 16u)
      .field("host-scale", &TraceSpec::host_scale, "times the recorded CPU time; 0: launches cost nothing",
             0.0, 1000.0);
  return table;
}

std::string beside(const Element& at, const char* attribute, const std::string& path) {
  const Attribute* found = at.find(attribute);
  return (std::filesystem::path(found ? found->file : at.file).parent_path() / path)
      .lexically_normal()
      .string();
}

/// A catalogue entry has more than scaling reads; what the scenario itself adds to it must still be read.
void mark_read(const Element& entry, const std::string& scenario_file) {
  for (const Attribute& attribute : entry.attributes)
    if (attribute.file != scenario_file) attribute.is_read = true;
  for (const Element& child : entry.children) {
    if (child.file != scenario_file) child.is_read = true;
    mark_read(child, scenario_file);
  }
}

/// Scales the kernels from the GPU that was recorded on to the system's.
KernelScale read_scale(const TraceSpec& spec, WorkloadContext& context) {
  KernelScale scale;
  scale.host = spec.host_scale;
  const Element* recorded = context.element.child("recorded-on");
  if (!recorded) return scale;
  const Element* from = recorded->child("gpu");
  if (!from) {
    context.errors.add(recorded->error("<recorded-on> lacks its <gpu catalogue=\"...\"/>"));
    return scale;
  }
  mark_read(*from, recorded->file);
  const Element* to = system_gpu(context.scenario.root);
  if (!to) {
    context.errors.add(recorded->error("<recorded-on> needs a <cluster> with a <gpu> to scale to"));
    return scale;
  }
  return scale_between(read_roofs(*from, context.errors), read_roofs(*to, context.errors), spec.host_scale);
}

Job load(const TraceSpec& spec, const std::string& path) {
  if (spec.format == Format::lightrail) return read_trace(path);
  KinetoOptions options;
  options.files = files_matching(path);
  options.element_bytes = spec.element_bytes;
  return import_kineto(options);
}

}  // namespace

std::vector<ParameterDoc> trace_documentation() {
  return trace_table().documentation();
}

void make_trace_workload(WorkloadContext& context) {
  TraceSpec spec;
  ErrorList& errors = context.errors;
  std::size_t before = errors.size();
  trace_table().parse(context.element, spec, errors);
  bool is_kineto = spec.format == Format::kineto;
  const char* needed = is_kineto ? "files" : "file";
  const std::string& given = is_kineto ? spec.files : spec.file;
  if (given.empty())
    errors.add(
        context.element.error(fmt::format("<workload> kind 'trace' lacks the attribute '{}'", needed)));
  if (is_kineto ? !spec.file.empty() : !spec.files.empty())
    context.add_error(context.element, is_kineto ? "file" : "files",
                      fmt::format("does not belong to format '{}' (expected '{}')",
                                  is_kineto ? "kineto" : "lightrail", needed));
  if (!is_kineto && spec.element_bytes)
    context.add_error(context.element, "element-bytes", "belongs to format 'kineto'");
  std::vector<std::uint32_t> placement;
  if (!spec.gpus.empty())
    if (std::string problem = parse_gpu_list(spec.gpus, context.gpu_count, placement); !problem.empty())
      context.add_error(context.element, "gpus", problem);
  KernelScale scale = read_scale(spec, context);
  if (errors.size() > before) return;

  std::string path = beside(context.element, needed, given);
  try {
    Job job = load(spec, path);
    if (job.gpu_count > context.gpu_count) {
      std::string named = is_kineto ? files_matching(path)[0] : path;
      throw InputErrors(
          InputError{named, 0,
                     fmt::format("a trace of {} ranks needs as many GPUs, but the system has {}",
                                 job.gpu_count, context.gpu_count)});
    }
    try {
      place_job(job, placement, context.gpu_count);
    } catch (const InputErrors& problem) {
      context.add_error(context.element, "gpus", problem.errors()[0].what);
      return;
    }
    scale_job(job, scale);
    context.job.job() = std::move(job);
  } catch (const InputErrors& problem) {
    for (const auto& error : problem.errors()) errors.add(error);
  }
}

}  // namespace lightrail
