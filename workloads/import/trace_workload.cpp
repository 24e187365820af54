#include "workloads/import/trace_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/describe.hpp"
#include "workloads/import/gpu_roofs.hpp"
#include "workloads/import/trace_files.hpp"
#include "workloads/import/trace_formats.hpp"
#include "workloads/import/trace_gpu.hpp"
#include "workloads/job/transform_job.hpp"

namespace lightrail {

namespace {

constexpr const char* own_format = "lightrail";

struct TraceSpec {
  std::string format = own_format, file, files, gpus;
  double host_scale = 1;
};

Describe<TraceSpec> trace_table() {
  Describe<TraceSpec> table;
  table.field("format", &TraceSpec::format, "")
      .field("file", &TraceSpec::file, "trace of all ranks, relative to the scenario")
      .field("files", &TraceSpec::files, "pattern of the ranks' files, relative to the scenario")
      .field("gpus", &TraceSpec::gpus, "GPU of each rank, in the order of ranks; default: GPU r runs rank r")
      .field("host-scale", &TraceSpec::host_scale, "times the recorded CPU time; 0: launches cost nothing",
             0.0, 1000.0);
  return table;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names = trace_format_names();
  names.insert(names.begin(), own_format);
  return names;
}

std::vector<ParameterDoc> documentation() {
  std::vector<ParameterDoc> docs = trace_table().documentation();
  ParameterDoc& format = docs.front();
  format.type = "choice";
  format.choices = format_names();
  format.doc = "lightrail: one HDF5 file";
  for (const auto& known : trace_formats()) format.doc += fmt::format("; {}: {}", known->name, known->doc);
  for (ParameterDoc& doc : trace_format_parameters()) docs.push_back(std::move(doc));
  return docs;
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

/// What becomes of kernels' times, for the result.
void note_gpus(WorkloadContext& context, const KernelScale& scale, Job& job) {
  const std::string& named = job.capture.gpus;
  const Element* recorded = context.element.child("recorded-on");
  const Element* from = recorded ? recorded->child("gpu") : nullptr;
  const Element* to = system_gpu(context.scenario.root);
  if (!from || !to) {
    if (!named.empty())
      job.notes.push_back(
          fmt::format("recorded on {}: kernels keep their times unless <recorded-on> names that GPU", named));
    return;
  }
  const std::string entry = from->catalogue.substr(from->catalogue.rfind('/') + 1);
  if (!named.empty() && !entry.empty() && gpu_called(named, {entry}).empty())
    job.notes.push_back(fmt::format("recorded on {}, but <recorded-on> has {}", named, from->catalogue));
  if (scale.gemm != 1 || scale.attention != 1 || scale.memory_bound != 1)
    job.notes.push_back(
        fmt::format("kernels' times are scaled from {} to {}: matrix products {:.3g} times as long, "
                    "attention {:.3g}, all others {:.3g}",
                    from->catalogue.empty() ? "the recorded GPU" : from->catalogue,
                    to->catalogue.empty() ? "the system's" : to->catalogue, scale.gemm, scale.attention,
                    scale.memory_bound));
}

Job load(const TraceFormat& format, const TraceFormat::Import& read, const std::vector<std::string>& files) {
  JobOutput output;
  import_files(format, read, files, output);
  return output.take();
}

void make_trace_workload(WorkloadContext& context) {
  TraceSpec spec;
  ErrorList& errors = context.errors;
  std::size_t before = errors.size();
  trace_table().parse(context.element, spec, errors);
  const bool is_own = spec.format == own_format;
  const TraceFormat* format = find_trace_format(spec.format);
  if (!is_own && !format)
    return context.add_error(context.element, "format", invalid_choice(spec.format, format_names()));
  const bool is_one = is_own || format->is_one_file;
  const char *needed = is_one ? "file" : "files", *other = is_one ? "files" : "file";
  const std::string& given = is_one ? spec.file : spec.files;
  if (given.empty())
    errors.add(
        context.element.error(fmt::format("<workload> kind 'trace' lacks the attribute '{}'", needed)));
  if (!(is_one ? spec.files : spec.file).empty())
    context.add_error(context.element, other,
                      fmt::format("does not belong to format '{}' (expected '{}')", spec.format, needed));
  refuse_foreign_attributes(context.element, format, errors);
  TraceFormat::Import read;
  if (format) read = format->prepare(context.element, errors);
  std::vector<std::uint32_t> placement;
  if (!spec.gpus.empty())
    if (std::string problem = parse_gpu_list(spec.gpus, context.gpu_count, placement); !problem.empty())
      context.add_error(context.element, "gpus", problem);
  KernelScale scale = read_scale(spec, context);
  if (errors.size() > before) return;

  const std::string path = path_beside(context.element, needed, given);
  try {
    const auto files = is_one ? std::vector<std::string>{path} : files_matching(path);
    Job job = is_own ? read_own_trace(files[0]) : load(*format, read, files);
    if (job.gpu_count > context.gpu_count)
      throw InputErrors(
          InputError{files[0], 0,
                     fmt::format("a trace of {} ranks needs as many GPUs, but the system has {}",
                                 job.gpu_count, context.gpu_count)});
    const std::uint32_t ranks = job.gpu_count;
    try {
      place_job(job, placement, context.gpu_count);
    } catch (const InputErrors& problem) {
      context.add_error(context.element, "gpus", problem.errors()[0].what);
      return;
    }
    scale_job(job, scale);
    note_gpus(context, scale, job);
    if (ranks < context.gpu_count)
      job.notes.push_back(fmt::format("{} of {} GPUs have no rank of the trace and do nothing",
                                      context.gpu_count - ranks, context.gpu_count));
    context.job.job() = std::move(job);
  } catch (const InputErrors& problem) {
    for (const auto& error : problem.errors()) errors.add(error);
  }
}

}  // namespace

std::shared_ptr<const WorkloadKind> trace_workload() {
  auto kind = workload_kind("trace", "Replays a recorded job; children: <recorded-on>.", make_trace_workload);
  kind->parameters = [](const AlgorithmRegistry&) { return documentation(); };
  return kind;
}

}  // namespace lightrail
