#include "workloads/import/aicb/aicb.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace lightrail {

namespace {

struct AicbSpec {
  std::uint32_t ranks = 0;
  AicbPipeline pipeline = AicbPipeline::rows;
  ExpertLoad::Kind expert_kind = ExpertLoad::Kind::uniform;
  double expert_exponent = 1;
  std::uint32_t expert_seed = 1;
  std::string steps;
};

AicbOptions options_of(const AicbSpec& spec, const std::string& file) {
  return {file,
          spec.ranks,
          spec.pipeline,
          {spec.expert_kind, spec.expert_exponent, spec.expert_seed},
          spec.steps};
}

Describe<AicbSpec> common_table() {
  Describe<AicbSpec> table;
  table
      .field(
          "ranks", &AicbSpec::ranks,
          "GPUs, instead of what the files say (chakra: all execute the one file; kineto: with others=same)",
          0u, 1u << 20)
      .choice("experts", &AicbSpec::expert_kind, "how tokens spread over the members of an expert group",
              {{"uniform", ExpertLoad::Kind::uniform}, {"zipf", ExpertLoad::Kind::zipf}})
      .field("expert-exponent", &AicbSpec::expert_exponent, "zipf: share of the k-th busiest, k^-exponent",
             0.0, 10.0)
      .field("expert-seed", &AicbSpec::expert_seed, "zipf: draws who is the busiest, layer by layer");
  return table;
}

void import_text(const TraceFormat::Files& files, const AicbSpec& spec, JobOutput& output) {
  import_aicb_text(options_of(spec, files[0]), output);
}

void import_csv(const TraceFormat::Files& files, const AicbSpec& spec, JobOutput& output) {
  import_aicb_csv(options_of(spec, files[0]), output);
}

}  // namespace

std::shared_ptr<const TraceFormat> aicb_format() {
  Describe<AicbSpec> table = common_table();
  table.choice("pipeline", &AicbSpec::pipeline,
               "rows: every GPU executes every row; interleaved: stages exchange activations",
               {{"rows", AicbPipeline::rows}, {"interleaved", AicbPipeline::interleaved}});
  auto format = trace_format("aicb", "one workload.txt of AICB or SimAI", table, import_text);
  format->is_one_file = true;
  return format;
}

std::shared_ptr<const TraceFormat> aicb_csv_format() {
  Describe<AicbSpec> table = common_table();
  table.field("steps", &AicbSpec::steps,
              "of the steps (kineto: of the profiler; aicb-csv: epochs) only these, 3 or 2-4; default: all, "
              "as one iteration");
  auto format = trace_format("aicb-csv", "one CSV of a physical run of AICB", table, import_csv);
  format->is_one_file = true;
  return format;
}

}  // namespace lightrail
