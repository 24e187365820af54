#include <cstdio>
#include <string>
#include <vector>

#include "app/cli/check_outputs.hpp"
#include "app/cli/commands.hpp"
#include "workloads/build_workload.hpp"
#include "workloads/import/import_trace.hpp"
#include "workloads/import/kineto/kineto.hpp"
#include "workloads/trace/trace_digest.hpp"
#include "workloads/trace/trace_file.hpp"

namespace lightrail {
namespace {

const std::string& out_of(const CommandLine& line) {
  if (line.out.empty())
    throw InputErrors(InputError{"", 0, "lightrail trace " + line.positional.front() + " needs --out FILE"});
  return line.out;
}

/// "one of the names" -> its format.
TraceFormat format_of(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [text, format] : trace_formats()) {
    if (text == name) return format;
    known.push_back(text);
  }
  throw InputErrors(InputError{"", 0, "trace import: " + invalid_choice(name, known)});
}

std::string import_files(const CommandLine& line) {
  const std::string& out = out_of(line);
  ImportOptions options;
  options.format = format_of(line.positional[1]);
  for (std::size_t i = 2; i < line.positional.size(); ++i)
    for (const std::string& file : files_matching(line.positional[i]))
      if (options.format == TraceFormat::chakra && file.ends_with(".json"))
        options.groups_file = file;
      else
        options.files.push_back(file);
  if (options.files.empty())
    throw InputErrors(InputError{"", 0, "trace import " + line.positional[1] + ": no trace files are given"});
  refuse_to_overwrite("--out", out, options.files);
  refuse_to_overwrite("--out", out, {options.groups_file});
  JobOutput output(out, line.typed);
  import_trace(options, output);
  const Job job = output.take();
  return describe_trace(job, output.digests()) + "written to " + line.out + "\n";
}

std::string generate_trace(const CommandLine& line) {
  CommandLine scenario_line = line;
  scenario_line.positional = {line.positional[1]};
  ReadScenario scenario = load_to_build(scenario_line);
  const Registry registry = load_registry(line.plugins);
  Model model = build_model(scenario, registry, scenario_line);
  ErrorList errors;
  Job job = make_job(scenario, registry.workloads, model, errors);
  errors.throw_if_any();
  std::vector<std::string> inputs = files_named_in(scenario.root);
  inputs.insert(inputs.end(), scenario.inputs.begin(), scenario.inputs.end());
  refuse_to_overwrite("--out", out_of(line), inputs);
  write_trace(job, out_of(line), line.typed);
  return describe_trace(job) + "written to " + line.out + "\n";
}

}  // namespace

ExitCode trace(const CommandLine& line, const MpiSession& mpi) {
  const std::string& verb = line.positional.front();
  // Rank 0 does the work: the other ranks have nothing to add.
  auto text = on_every_rank(mpi, [&]() -> std::string {
    if (mpi.rank() != 0) return "";
    if (verb == "import") return import_files(line);
    if (verb == "generate") return generate_trace(line);
    if (verb == "show" || verb == "info") return describe_trace(read_trace(line.positional[1]));
    throw InputErrors(
        InputError{"", 0, "trace: " + invalid_choice(verb, {"import", "generate", "show", "info"})});
  });
  std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

}  // namespace lightrail
