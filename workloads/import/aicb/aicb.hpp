#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "workloads/import/trace_format.hpp"
#include "workloads/job/expert_load.hpp"
#include "workloads/trace/job_output.hpp"

namespace lightrail {

/// How the rows of a workload become pipeline stages.
enum class AicbPipeline : std::uint8_t {
  rows,        ///< every GPU executes every row, as SimAI does; stages exchange nothing
  interleaved  ///< the rows of a micro-batch are one stage's; stages exchange activations in interleaved 1F1B
};

struct AicbOptions {
  std::string file;
  std::uint32_t gpus = 0;  ///< above 0: instead of what the file says
  AicbPipeline pipeline = AicbPipeline::rows;
  ExpertLoad experts;  ///< of the all-to-alls over expert-parallel groups
  std::string epochs;  ///< CSV: of the epochs (rows up to epoch_end, from 1) only "2" or "2-4"; "": all
};

/// Imports a SimAI / AICB simulation workload (workload.txt): forward through the rows, then backward. GPU
/// number = tp index + tp * (dp index + dp * stage); expert-parallel groups are neighbours among the
/// data-parallel. Throws InputErrors with file and line.
void import_aicb_text(const AicbOptions& options, JobOutput& output);

/// Imports the operations of an AICB physical run (CSV), one after the other on every GPU. Groups as above,
/// their sizes as the rows say. Throws InputErrors with file and line.
void import_aicb_csv(const AicbOptions& options, JobOutput& output);
[[nodiscard]] std::shared_ptr<const TraceFormat> aicb_format();
[[nodiscard]] std::shared_ptr<const TraceFormat> aicb_csv_format();

}  // namespace lightrail
