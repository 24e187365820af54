#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/model/describe.hpp"
#include "engine/scenario/element.hpp"
#include "workloads/trace/job_output.hpp"

namespace lightrail {

/// A format of traces that other tools write: its name, its attributes and how its files become a job.
/// Formats stand in an explicit list (trace_formats.cpp), one folder and one line each.
class TraceFormat {
 public:
  using Files = std::vector<std::string>;
  /// Reads the files into `output`. Throws InputErrors with file and place.
  using Import = std::function<void(const Files& files, JobOutput& output)>;

  std::string name, doc;
  bool is_one_file = false;              ///< one file holds all ranks
  std::vector<ParameterDoc> parameters;  ///< its attributes, of <workload> and of `lightrail trace import`
  /// Reads these attributes; mistakes go to `errors`, and what is returned must not be called then.
  std::function<Import(const Element& at, ErrorList& errors)> prepare;
};

/// A format whose attributes `table` describes. `read` gets what was read.
template <class XSpec>
[[nodiscard]] std::shared_ptr<TraceFormat> trace_format(std::string name, std::string doc,
                                                        const Describe<XSpec>& table,
                                                        void (*read)(const TraceFormat::Files& files,
                                                                     const XSpec& spec, JobOutput& output)) {
  auto format = std::make_shared<TraceFormat>();
  format->name = std::move(name);
  format->doc = std::move(doc);
  format->parameters = table.documentation();
  format->prepare = [table, read](const Element& at, ErrorList& errors) -> TraceFormat::Import {
    XSpec spec;
    table.parse(at, spec, errors);
    return [spec, read](const TraceFormat::Files& files, JobOutput& output) { read(files, spec, output); };
  };
  return format;
}

/// A path that `attribute` of `at` gives, which is relative to the file that has the attribute.
[[nodiscard]] std::string path_beside(const Element& at, const char* attribute, const std::string& path);

}  // namespace lightrail
