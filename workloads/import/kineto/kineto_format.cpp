#include "workloads/import/kineto/kineto.hpp"

#include <memory>

namespace lightrail {

namespace {

void import_files(const TraceFormat::Files& files, const KinetoOptions& spec, JobOutput& output) {
  KinetoOptions options = spec;
  options.files = files;
  import_kineto(options, output);
}

}  // namespace

std::shared_ptr<const TraceFormat> kineto_format() {
  Describe<KinetoOptions> table;
  table.field("element-bytes", &KinetoOptions::element_bytes, "where an old trace does not name a data type",
              0u, 16u);
  return trace_format("kineto", "one JSON file a rank of PyTorch's profiler", table, import_files);
}

}  // namespace lightrail
