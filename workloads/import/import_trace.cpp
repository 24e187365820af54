#include "workloads/import/import_trace.hpp"

#include <fmt/format.h>

#include "engine/base/error.hpp"
#include "workloads/import/chakra/chakra.hpp"
#include "workloads/import/goal/goal.hpp"
#include "workloads/import/kineto/kineto.hpp"

namespace lightrail {

const std::vector<std::pair<std::string, TraceFormat>>& trace_formats() {
  static const std::vector<std::pair<std::string, TraceFormat>> all{{"kineto", TraceFormat::kineto},
                                                                    {"chakra", TraceFormat::chakra},
                                                                    {"goal", TraceFormat::goal},
                                                                    {"aicb", TraceFormat::aicb},
                                                                    {"aicb-csv", TraceFormat::aicb_csv}};
  return all;
}

bool is_one_file(TraceFormat format) {
  return format == TraceFormat::own || format == TraceFormat::goal || format == TraceFormat::aicb ||
         format == TraceFormat::aicb_csv;
}

void import_trace(const ImportOptions& options, JobOutput& output) {
  if (options.files.empty()) throw InputErrors(InputError{"", 0, "no trace file given"});
  if (is_one_file(options.format) && options.files.size() > 1)
    throw InputErrors(InputError{options.files[1], 0,
                                 fmt::format("a second file (the first is {}): this format has one for "
                                             "all ranks",
                                             options.files[0])});
  switch (options.format) {
    case TraceFormat::own:
      break;
    case TraceFormat::kineto:
      import_kineto({options.files, options.element_bytes}, output);
      break;
    case TraceFormat::chakra:
      import_chakra({options.files, options.groups_file, options.ranks}, output);
      break;
    case TraceFormat::goal:
      import_goal(options.files[0], output);
      break;
    case TraceFormat::aicb:
      import_aicb_text({options.files[0], options.ranks, options.pipeline, options.experts}, output);
      break;
    case TraceFormat::aicb_csv:
      import_aicb_csv({options.files[0], options.ranks, options.pipeline, options.experts}, output);
      break;
  }
}

}  // namespace lightrail
