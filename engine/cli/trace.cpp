#include <cstdio>

#include "engine/cli/commands.hpp"
#include "workloads/build_workload.hpp"
#include "workloads/import/kineto.hpp"
#include "workloads/trace_file.hpp"

namespace lightrail {
namespace {

const std::string& out_of(const CommandLine& line) {
  if (line.out.empty())
    throw InputErrors(InputError{"", 0, "lightrail trace " + line.positional.front() + " needs --out FILE"});
  return line.out;
}

std::string import_trace(const CommandLine& line) {
  const std::string& format = line.positional[1];
  if (format != "kineto")
    throw InputErrors(InputError{"", 0, "trace import: " + invalid_choice(format, {"kineto"})});
  KinetoOptions options;
  for (std::size_t i = 2; i < line.positional.size(); ++i)
    for (const std::string& file : files_matching(line.positional[i])) options.files.push_back(file);
  if (options.files.empty())
    throw InputErrors(InputError{"", 0, "trace import kineto: no trace files are given"});
  Job job = import_kineto(options);
  write_trace(job, out_of(line), line.typed);
  return describe_trace(job) + "written to " + line.out + "\n";
}

std::string generate_trace(const CommandLine& line) {
  CommandLine scenario_line = line;
  scenario_line.positional = {line.positional[1]};
  Scenario scenario = load(scenario_line);
  Model model = build_model(scenario, load_kinds(line.plugins), scenario_line);
  ErrorList errors;
  Job job = make_job(scenario, model, errors);
  errors.throw_if_any();
  write_trace(job, out_of(line), line.typed);
  return describe_trace(job) + "written to " + line.out + "\n";
}

}  // namespace

ExitCode trace(const CommandLine& line, const MpiSession& mpi) {
  const std::string& verb = line.positional.front();
  // Rank 0 does the work: the other ranks have nothing to add.
  auto text = on_every_rank(mpi, [&]() -> std::string {
    if (mpi.rank() != 0) return "";
    if (verb == "import") return import_trace(line);
    if (verb == "generate") return generate_trace(line);
    if (verb == "show") return describe_trace(read_trace(line.positional[1]));
    throw InputErrors(InputError{"", 0, "trace: " + invalid_choice(verb, {"import", "generate", "show"})});
  });
  std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

}  // namespace lightrail
