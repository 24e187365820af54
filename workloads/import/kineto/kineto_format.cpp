#include "workloads/import/kineto/kineto.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace lightrail {

namespace {

struct KinetoSpec {
  std::uint32_t element_bytes = 0;
  Bytes collective_bytes{0};
  std::string rank_pattern, steps;
  enum class Others : std::uint8_t { given, same };
  Others others = Others::given;
  std::uint32_t ranks = 0;
};

void import_files(const TraceFormat::Files& files, const KinetoSpec& spec, JobOutput& output) {
  KinetoOptions options;
  options.files = files;
  options.element_bytes = spec.element_bytes;
  options.collective_bytes = spec.collective_bytes.value;
  options.rank_pattern = spec.rank_pattern;
  options.steps = spec.steps;
  options.others_do_the_same = spec.others == KinetoSpec::Others::same;
  options.ranks = spec.ranks;
  import_kineto(options, output);
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
      .choice("others", &KinetoSpec::others,
              "given: every rank has its file; same: one file, and the other ranks do what its rank did",
              {{"given", KinetoSpec::Others::given}, {"same", KinetoSpec::Others::same}})
      .field(
          "ranks", &KinetoSpec::ranks,
          "GPUs, instead of what the files say (chakra: all execute the one file; kineto: with others=same)",
          0u, 1u << 20);
  return table;
}

}  // namespace

std::shared_ptr<const TraceFormat> kineto_format() {
  return trace_format("kineto", "one JSON file a rank of PyTorch's profiler, or of its flight recorder",
                      kineto_table(), import_files);
}

}  // namespace lightrail
