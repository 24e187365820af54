#include "workloads/import/trace_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/model/describe.hpp"
#include "workloads/import/gpu_roofs.hpp"
#include "workloads/import/import_trace.hpp"
#include "workloads/import/kineto/kineto.hpp"
#include "workloads/job/transform_job.hpp"
#include "workloads/trace/trace_file.hpp"

namespace lightrail {

namespace {

struct TraceSpec {
  TraceFormat format = TraceFormat::own;
  std::string file, files, gpus, groups_file;
  std::uint32_t element_bytes = 0, ranks = 0;
  double host_scale = 1;
  AicbPipeline pipeline = AicbPipeline::rows;
  ExpertLoad::Kind expert_kind = ExpertLoad::Kind::uniform;
  double expert_exponent = 1;
  std::uint32_t expert_seed = 1;
};

Describe<TraceSpec> trace_table() {
  auto formats = trace_formats();
  formats.insert(formats.begin(), {"lightrail", TraceFormat::own});
  Describe<TraceSpec> table;
  table
      .choice(
          "format", &TraceSpec::format,
          "lightrail: one HDF5 file; kineto: one JSON file a rank; chakra: one .et file a rank; "
          "goal: one schedule; aicb: one workload.txt of AICB or SimAI; aicb-csv: one CSV of a physical run",
          formats)
      .field("file", &TraceSpec::file, "trace of all ranks, relative to the scenario")
      .field("files", &TraceSpec::files, "pattern of the ranks' files, relative to the scenario")
      .field("gpus", &TraceSpec::gpus, "GPU of each rank, in the order of ranks; default: GPU r runs rank r")
      .field("element-bytes", &TraceSpec::element_bytes,
             "where an old Kineto trace does not name a data type", 0u, 16u)
      .field("groups-file", &TraceSpec::groups_file,
             "process groups of a Chakra trace as JSON, relative to the scenario")
      .field("ranks", &TraceSpec::ranks,
             "chakra: GPUs that all execute the one file; aicb: GPUs, instead of what the file says", 0u,
             1u << 20)
      .choice("pipeline", &TraceSpec::pipeline,
              "aicb: rows: every GPU executes every row; interleaved: stages exchange activations",
              {{"rows", AicbPipeline::rows}, {"interleaved", AicbPipeline::interleaved}})
      .choice("experts", &TraceSpec::expert_kind,
              "aicb: how tokens spread over the members of an expert group",
              {{"uniform", ExpertLoad::Kind::uniform}, {"zipf", ExpertLoad::Kind::zipf}})
      .field("expert-exponent", &TraceSpec::expert_exponent, "zipf: share of the k-th busiest, k^-exponent",
             0.0, 10.0)
      .field("expert-seed", &TraceSpec::expert_seed, "zipf: draws who is the busiest, layer by layer")
      .field("host-scale", &TraceSpec::host_scale, "times the recorded CPU time; 0: launches cost nothing",
             0.0, 1000.0);
  return table;
}

std::string name_of(TraceFormat format) {
  for (const auto& [name, known] : trace_formats())
    if (format == known) return name;
  return "lightrail";
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

/// Attributes that only some formats have.
void check_formats(const std::string& format, WorkloadContext& context) {
  static const std::vector<std::pair<const char*, std::vector<std::string>>> belongs{
      {"element-bytes", {"kineto"}},
      {"groups-file", {"chakra"}},
      {"ranks", {"chakra", "aicb", "aicb-csv"}},
      {"pipeline", {"aicb"}},
      {"experts", {"aicb", "aicb-csv"}},
      {"expert-exponent", {"aicb", "aicb-csv"}},
      {"expert-seed", {"aicb", "aicb-csv"}}};
  for (const auto& [attribute, formats] : belongs)
    if (context.element.find(attribute) && std::find(formats.begin(), formats.end(), format) == formats.end())
      context.add_error(context.element, attribute,
                        fmt::format("belongs to format '{}'", fmt::join(formats, "', '")));
}

Job load(const TraceSpec& spec, const std::vector<std::string>& files) {
  if (spec.format == TraceFormat::own) return read_trace(files[0]);
  ImportOptions options;
  options.format = spec.format;
  options.files = files;
  options.element_bytes = spec.element_bytes;
  options.groups_file = spec.groups_file;
  options.ranks = spec.ranks;
  options.pipeline = spec.pipeline;
  options.experts = {spec.expert_kind, spec.expert_exponent, spec.expert_seed};
  JobOutput output;
  import_trace(options, output);
  return output.take();
}

void make_trace_workload(WorkloadContext& context) {
  TraceSpec spec;
  ErrorList& errors = context.errors;
  std::size_t before = errors.size();
  trace_table().parse(context.element, spec, errors);
  const bool is_one = spec.format == TraceFormat::own || is_one_file(spec.format);
  const std::string format = name_of(spec.format);
  const char *needed = is_one ? "file" : "files", *other = is_one ? "files" : "file";
  const std::string& given = is_one ? spec.file : spec.files;
  if (given.empty())
    errors.add(
        context.element.error(fmt::format("<workload> kind 'trace' lacks the attribute '{}'", needed)));
  if (!(is_one ? spec.files : spec.file).empty())
    context.add_error(context.element, other,
                      fmt::format("does not belong to format '{}' (expected '{}')", format, needed));
  check_formats(format, context);
  if (!spec.groups_file.empty()) spec.groups_file = beside(context.element, "groups-file", spec.groups_file);
  std::vector<std::uint32_t> placement;
  if (!spec.gpus.empty())
    if (std::string problem = parse_gpu_list(spec.gpus, context.gpu_count, placement); !problem.empty())
      context.add_error(context.element, "gpus", problem);
  KernelScale scale = read_scale(spec, context);
  if (errors.size() > before) return;

  const std::string path = beside(context.element, needed, given);
  try {
    const auto files = is_one ? std::vector<std::string>{path} : files_matching(path);
    Job job = load(spec, files);
    if (job.gpu_count > context.gpu_count)
      throw InputErrors(
          InputError{files[0], 0,
                     fmt::format("a trace of {} ranks needs as many GPUs, but the system has {}",
                                 job.gpu_count, context.gpu_count)});
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

}  // namespace

std::shared_ptr<const WorkloadKind> trace_workload() {
  auto kind = workload_kind("trace", "Replays a recorded job; children: <recorded-on>.", make_trace_workload);
  kind->parameters = [](const AlgorithmRegistry&) { return trace_table().documentation(); };
  return kind;
}

}  // namespace lightrail
