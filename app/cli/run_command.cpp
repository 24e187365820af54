#include "app/cli/run_command.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <utility>

#include "app/cli/abort_reason.hpp"
#include "app/cli/forecast.hpp"
#include "app/cli/print_summary.hpp"
#include "app/cli/sweep.hpp"
#include "app/explain/critical_path.hpp"
#include "engine/base/error.hpp"
#include "engine/checkpoint/checkpoint_file.hpp"

namespace lightrail {
namespace {

ExitCode code_of(RunStatus status) {
  switch (status) {
    case RunStatus::complete:
      return ExitCode::done;
    case RunStatus::stopped:
      return ExitCode::resumable;
    case RunStatus::deadlock:
      return ExitCode::simulation;
  }
  return ExitCode::bug;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text << std::flush;
  if (!out) throw IoError("cannot write summary '" + path + "'");
}

}  // namespace

std::string result_path(const CommandLine& line, const Model& model) {
  if (!line.out.empty()) return line.out;
  const auto* selection = model.resource<OutputSelection>();
  if (selection && !selection->file.empty()) return with_point(selection->file, line.point);
  return std::filesystem::path(line.positional.front()).stem().string() + line.point + ".h5";
}

RecorderOptions recorder_options(const CommandLine& line, const Scenario& scenario, const Model& model,
                                 GoodputRun* goodput) {
  RecorderOptions options;
  options.path = result_path(line, model);
  if (const auto* selection = model.resource<OutputSelection>()) options.interval = selection->interval;
  options.io = line.io;
  options.command_line = line.typed;
  options.scenario_xml = scenario.resolved_xml;
  options.inputs = scenario.inputs;
  options.settings = line.settings;
  options.add_to_summary = [path = options.path, goodput](ResultFile& file, const Summary& summary) {
    CriticalPath found;
    try {
      found = read_critical_path(ResultReader(path, ResultReader::Accept::written), most_rows_in_run);
    } catch (const InputErrors& problem) {
      found = {};
      found.missing = problem.what();  // the result is good without it
    }
    write_critical_path(file, found);
    if (goodput) goodput->play(file, path, summary);
  };
  options.is_resumed = line.run.resume != nullptr;
  if (line.run.resume) options.resumed_at = line.run.resume->time();
  return options;
}

Summary simulate(const Model& model, const Partition& partition, const CommandLine& line,
                 const MpiSession& mpi, Hdf5Recorder& recorder, const FinerRun* finer,
                 const GoodputRun* goodput) {
  try {
    StepSpan steps(&recorder, finer ? finer->steps() : StepRange{});
    Recorder& rows = finer ? static_cast<Recorder&>(steps) : recorder;
    RunResult result;
    if (!goodput || goodput->simulates())
      result = Simulation(model, partition, mpi.comm(), rows).run(line.run);
    RunOutcome outcome =
        make_outcome(result, to_string(result.status), static_cast<int>(code_of(result.status)));
    if (result.status == RunStatus::deadlock)
      if (outcome.reason = abort_reason(model, result.end); !outcome.reason.empty())
        outcome.status = "aborted";
    if (finer && result.status == RunStatus::complete) outcome.grain_check = finer->check(steps, mpi);
    Summary summary = recorder.finish(outcome);
    summary.forecast = std::move(result.forecast);
    return summary;
  } catch (const IoError&) {
    throw;  // the file itself failed: nothing more can be written to it
  } catch (const std::exception& failure) {
    RunOutcome outcome;
    outcome.exit_code = static_cast<int>(exit_code_of(std::current_exception()));
    outcome.reason = failure.what();
    recorder.finish(outcome);
    throw;
  }
}

ExitCode exit_code_of(const Summary& summary) {
  if (summary.status == "complete") return ExitCode::done;
  if (summary.status == "stopped") return ExitCode::resumable;
  return summary.status == "deadlock" || summary.status == "aborted" ? ExitCode::simulation : ExitCode::bug;
}

void report(const Summary& summary, const CommandLine& line, const std::string& file, const MpiSession& mpi,
            const GoodputRun* goodput) {
  std::exception_ptr error;
  if (mpi.rank() == 0) {
    const bool has_run = !goodput || goodput->simulates();
    if (has_run) std::fputs(summary_text(summary, file).c_str(), stdout);
    if (goodput) std::fputs(goodput->text(has_run ? "" : file).c_str(), stdout);
    std::fputs(forecast_text(summary.forecast, line.network).c_str(), stdout);
    std::fflush(stdout);
    for (const std::string& wait : summary.waits)
      std::fprintf(stderr, "error: %s: %s\n", summary.status.c_str(), wait.c_str());
    try {
      if (!line.summary_file.empty())
        write_file(line.summary_file, goodput ? goodput->json(summary) : to_json(summary));
    } catch (...) {
      error = std::current_exception();
    }
  }
  agree(mpi, error);
}

}  // namespace lightrail
