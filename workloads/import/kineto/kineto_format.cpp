#include "workloads/import/kineto/kineto.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include "workloads/import/trace_files.hpp"

namespace lightrail {

namespace {

struct KinetoSpec {
  std::uint32_t element_bytes = 0;
  Bytes collective_bytes{0};
  std::string rank_pattern, steps, execution_traces;
  enum class Others : std::uint8_t { given, same };
  Others others = Others::given;
  std::uint32_t ranks = 0;
};

KinetoOptions options_of(const KinetoSpec& spec) {
  KinetoOptions options;
  options.element_bytes = spec.element_bytes;
  options.collective_bytes = spec.collective_bytes.value;
  options.rank_pattern = spec.rank_pattern;
  options.steps = spec.steps;
  options.others_do_the_same = spec.others == KinetoSpec::Others::same;
  options.ranks = spec.ranks;
  return options;
}

}  // namespace

namespace {

Describe<KinetoSpec> kineto_table() {
  Describe<KinetoSpec> table;
  table
      .field("element-bytes", &KinetoSpec::element_bytes, "where an old trace does not name a data type", 0u,
             16u)
      .field("collective-bytes", &KinetoSpec::collective_bytes,
             "size of communications for which the trace has none; 0 B: they are refused", Bytes{0},
             Bytes{largest_operation_bytes})
      .field("rank-pattern", &KinetoSpec::rank_pattern,
             "file names, # stands for the rank: trace_rank_#_step_*; default: by content, then by name")
      .field("steps", &KinetoSpec::steps,
             "of the steps (kineto: of the profiler; aicb-csv: epochs) only these, 3 or 2-4; default: all, "
             "as one iteration")
      .field(
          "execution-traces", &KinetoSpec::execution_traces,
          "PyTorch's execution traces, one a rank, to be joined by rf_id: pattern, relative to the scenario")
      .choice("others", &KinetoSpec::others,
              "given: every rank has its file; same: one file, and the other ranks do what its rank did",
              {{"given", KinetoSpec::Others::given}, {"same", KinetoSpec::Others::same}})
      .field(
          "ranks", &KinetoSpec::ranks,
          "GPUs, instead of what the files say (chakra: all execute the one file; kineto: with others=same)",
          0u, 1u << 20);
  return table;
}

TraceFormat::Import prepare(const Element& at, ErrorList& errors) {
  KinetoSpec spec;
  kineto_table().parse(at, spec, errors);
  KinetoOptions options = options_of(spec);
  const std::string pattern =
      spec.execution_traces.empty() ? "" : path_beside(at, "execution-traces", spec.execution_traces);
  return [options, pattern](const TraceFormat::Files& files, JobOutput& output) {
    KinetoOptions all = options;
    all.files = files;
    if (!pattern.empty()) all.execution_traces = files_matching(pattern);
    import_kineto(all, output);
  };
}

}  // namespace

namespace {

std::shared_ptr<const TraceFormat> format_of(const char* name, const char* doc) {
  auto format = std::make_shared<TraceFormat>();
  format->name = name;
  format->doc = doc;
  format->parameters = kineto_table().documentation();
  format->prepare = prepare;
  return format;
}

}  // namespace

std::shared_ptr<const TraceFormat> kineto_format() {
  return format_of("kineto", "one JSON file a rank of PyTorch's profiler, of its flight recorder, or ET+");
}

std::shared_ptr<const TraceFormat> nsight_format() {
  return format_of("nsight", "SQLite exports of Nsight Systems, of one process each or of several");
}

}  // namespace lightrail
