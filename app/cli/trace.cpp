#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/cli/check_outputs.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/named_attribute.hpp"
#include "workloads/build_workload.hpp"
#include "workloads/import/recognise_trace.hpp"
#include "workloads/import/trace_files.hpp"
#include "workloads/import/trace_formats.hpp"
#include "workloads/trace/trace_digest.hpp"
#include "workloads/trace/trace_file.hpp"

namespace lightrail {
namespace {

const std::string& out_of(const CommandLine& line) {
  if (line.out.empty())
    throw InputErrors(InputError{"", 0, "lightrail trace " + line.positional.front() + " needs --out FILE"});
  return line.out;
}

/// Null when `word` is a file instead: its content says the format.
const TraceFormat* format_of(const std::string& word) {
  if (const TraceFormat* format = find_trace_format(word)) return format;
  std::error_code code;
  if (std::filesystem::exists(word, code) || word.find_first_of("*?") != std::string::npos) return nullptr;
  throw InputErrors(InputError{"", 0, "trace import: " + invalid_choice(word, trace_format_names())});
}

void refuse_unknown(const Element& options, const TraceFormat& format) {
  std::vector<std::string> known;
  for (const ParameterDoc& doc : format.parameters) known.push_back(doc.name);
  ErrorList errors;
  refuse_foreign_attributes(options, &format, errors);
  for (const Attribute& attribute : options.attributes)
    if (!attribute.is_read && std::find(known.begin(), known.end(), attribute.name) == known.end())
      errors.add(
          {"", 0, "trace import " + format.name + ": attribute " + invalid_choice(attribute.name, known)});
  errors.throw_if_any();
}

std::string import_traces(const CommandLine& line) {
  const std::string& out = out_of(line);
  const TraceFormat* named = format_of(line.positional[1]);
  Element options;
  options.name = "trace import";
  TraceFormat::Files files;
  for (std::size_t i = named ? 2 : 1; i < line.positional.size(); ++i) {
    if (auto attribute = named_attribute(line.positional[i])) {
      options.attributes.push_back(std::move(*attribute));
      continue;
    }
    for (std::string& file : files_matching(line.positional[i])) files.push_back(std::move(file));
  }
  if (files.empty())
    throw InputErrors(InputError{
        "", 0, "trace import" + (named ? " " + named->name : std::string()) + ": no trace files are given"});
  const TraceFormat& format = named ? *named : *find_trace_format(recognise_traces(files).format);
  refuse_unknown(options, format);
  refuse_to_overwrite("--out", out, files);
  JobOutput output(out, line.typed);
  import_trace(format, files, options, output);
  if (!named)
    output.job().note(fmt::format("read as format {}, by how {} begins", format.name, files.front()));
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
  if (job.programs.steps_over())
    errors.add(scenario.root.child("workload")
                   ->error("a workload with step-over is no trace: it leaves out a part of its operations"));
  if (std::any_of(job.groups.begin(), job.groups.end(), [](const GroupKind& k) { return k.stands_for > 1; }))
    errors.add(
        scenario.root.child("workload")
            ->error("a workload with fold is no trace: the file has no place for replicas that stand for "
                    "others"));
  if (!job.programs.host_work.empty())
    errors.add(
        scenario.root.child("workload")
            ->error("a job with host=\"launches\" is no trace: the file has no place for what hosts do"));
  const auto& programs = job.programs.programs;
  const auto has_schedule = [](const Op& op) { return op.io != IoMode::own || op.every != 1 || op.is_once; };
  if (std::any_of(programs.begin(), programs.end(),
                  [&](const Program& p) { return std::any_of(p.ops.begin(), p.ops.end(), has_schedule); }))
    errors.add(scenario.root.child("workload")
                   ->error("a job with checkpoints is no trace: the file has no place for writes from host "
                           "memory, nor for what only some iterations do"));
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
    if (verb == "import") return import_traces(line);
    if (verb == "generate") return generate_trace(line);
    if (verb == "show" || verb == "info") return describe_trace(read_own_trace(line.positional[1]));
    throw InputErrors(
        InputError{"", 0, "trace: " + invalid_choice(verb, {"import", "generate", "show", "info"})});
  });
  std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

}  // namespace lightrail
