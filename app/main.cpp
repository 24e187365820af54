#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "app/cli/check_grain.hpp"
#include "app/cli/check_launch.hpp"
#include "app/cli/check_outputs.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/completion.hpp"
#include "app/cli/forecast.hpp"
#include "app/cli/goodput_run.hpp"
#include "app/cli/man_page.hpp"
#include "app/cli/report_page.hpp"
#include "app/cli/run_command.hpp"
#include "app/cli/run_identity.hpp"
#include "app/cli/slow_run.hpp"
#include "app/study/child_process.hpp"
#include "engine/sync/stop_requests.hpp"

namespace lightrail {
namespace {

/// scenario -> model -> partition -> run -> record; of goodput weeks of the job follow.
ExitCode run(CommandLine line, const MpiSession& mpi) {
  auto registry = on_every_rank(mpi, [&] { return load_registry(line.plugins); });
  auto scenario = on_every_rank(mpi, [&] { return load_to_build(line); });
  const auto model = on_every_rank(mpi, [&] { return model_to_run(build_model(scenario, registry, line)); });
  on_every_rank(mpi, [&] { check_outputs(line, result_path(line, model), scenario); });
  auto goodput = on_every_rank(mpi, [&] { return goodput_run(line, model); });
  GoodputRun* weeks = goodput ? &*goodput : nullptr;
  auto partition = on_every_rank(mpi, [&] { return make_partition(model, mpi.size(), line.partition); });
  const auto forecast = on_every_rank(mpi, [&] { return plan_forecast(model, line, mpi.size()); });
  if (!forecast.partitions.empty()) line.run.forecast = &forecast;
  std::optional<FinerRun> finer;
  if (line.check_grain > 0)
    on_every_rank(mpi, [&] { finer.emplace(scenario, registry, line, model, mpi.size()); });
  auto checkpoint = prepare_checkpoints(scenario, model, line, mpi);

  if (mpi.rank() == 0 && line.run.progress != Progress::none && (!weeks || weeks->simulates()))
    for (const std::string& note : slowness_notes(model, partition, line))
      std::fprintf(stderr, "note: %s\n", note.c_str());

  Summary summary;
  std::exception_ptr error;
  int late_signal = 0;
  try {
    // There is a file from here on, which a signal must not leave unfinished: the run stops at a window.
    const StopRequests since_the_file(line.run.catch_signals, 0);
    Hdf5Recorder recorder(recorder_options(line, scenario, model, weeks), mpi.comm(), model, partition);
    summary = simulate(model, partition, line, mpi, recorder, finer ? &*finer : nullptr, weeks);
    late_signal = since_the_file.code() != 0;  // after the last window: this run is whole, a sweep ends
  } catch (...) {
    error = std::current_exception();  // the same on every rank
  }
  agree(mpi, error);
  MPI_Allreduce(MPI_IN_PLACE, &late_signal, 1, MPI_INT, MPI_MAX, mpi.comm());
  if (weeks) agree(mpi, weeks->problem());
  report(summary, line, result_path(line, model), mpi, weeks);
  print_benchmark(summary, model, line, mpi);
  if (late_signal != 0 && line.command == Command::sweep) return ExitCode::resumable;
  return exit_code_of(summary);
}

bool only_prints(Command command) {
  switch (command) {
    case Command::help:
    case Command::version:
    case Command::validate:
    case Command::describe:
    case Command::explain:
    case Command::report:
    case Command::catalogue:
    case Command::create:
    case Command::completion:
    case Command::man:
      return true;
    case Command::run:
    case Command::sweep:
    case Command::trace:
    case Command::system:
    case Command::collective:
    case Command::ladder:
    case Command::goodput:
    case Command::plan:
      return false;
  }
  return false;
}

/// What a shell or man reads.
std::string shell_text(const CommandLine& line) {
  return line.command == Command::man ? man_page() : completion_script(line.positional.front());
}

ExitCode execute(const CommandLine& line, const MpiSession& mpi) {
  if (!only_prints(line.command)) on_every_rank(mpi, [&] { check_launch(mpi); });
  switch (line.command) {
    case Command::run:
    case Command::collective:
    case Command::goodput:
      return run(line, mpi);
    case Command::sweep:
      if (line.study.is_asked_for)
        on_every_rank(mpi, [&] {
          throw InputErrors(
              InputError{"", 0,
                         "lightrail sweep --jobs starts its runs itself (start it without mpiexec "
                         "or srun, and say --ranks R or --launch WORDS)"});
        });
      if (line.list) return list_sweep(line, mpi);
      if (line.sweep_case >= 0) return run(on_every_rank(mpi, [&] { return sweep_point(line); }), mpi);
      return run_sweep(line, mpi, [&](CommandLine point) { return run(std::move(point), mpi); });
    case Command::validate:
      return validate(line, mpi);
    case Command::describe:
      return describe(line, mpi);
    case Command::trace:
      return trace(line, mpi);
    case Command::system:
      return import_system_command(line, mpi);
    case Command::explain:
      return explain(line, mpi);
    case Command::report:
      on_every_rank(mpi, [&] {
        throw InputErrors(InputError{
            "", 0, "lightrail report makes its page by itself (start it without mpiexec or srun)"});
      });
      return ExitCode::bug;
    case Command::ladder:
      return ladder(line, mpi);
    case Command::plan:
      return plan(line, mpi);
    case Command::catalogue:
      return catalogue(line, mpi);
    case Command::create:
      return create(line, mpi);
    case Command::completion:
    case Command::man:
      on_every_rank(mpi, [&] {
        if (const std::string text = shell_text(line); mpi.rank() == 0) std::fputs(text.c_str(), stdout);
      });
      return ExitCode::done;
    case Command::version:
      return print_version(mpi);
    case Command::help:
      return print_help(line, mpi);
  }
  return ExitCode::bug;
}

/// Starts this program anew with its memory in huge pages, which saves a tenth of the time of large models
/// (benchmarks/README.md): glibc takes that wish from the environment only, when a process starts. Who sets
/// GLIBC_TUNABLES decides.
void ask_for_huge_pages(char** argv) {
  if (std::getenv("GLIBC_TUNABLES")) return;
  setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 1);
  execv("/proc/self/exe", argv);  // comes back only where that is not possible: then without
}

/// The command line of what needs no MPI: a study, which starts programs that use it and so must not use it
/// itself, texts that a shell or a build asks for, and what another program does. None where there is a
/// mistake in it, or where ranks were started together: then one of them is to say so.
std::optional<CommandLine> line_without_mpi(int argc, char** argv) {
  if (launched_ranks() > 1) return std::nullopt;
  try {
    CommandLine line = parse_command_line(argc, argv);
    if (line.command == Command::sweep && line.study.is_asked_for) return line;
    if (line.command == Command::completion || line.command == Command::man) return line;
    if (line.command == Command::report) return line;
  } catch (const InputErrors&) {
    return std::nullopt;
  }
  return std::nullopt;
}

int run_alone(const CommandLine& line) {
  try {
    if (line.command == Command::report) become_report(line);
    if (line.command != Command::sweep) {
      std::fputs(shell_text(line).c_str(), stdout);
      return std::fflush(stdout) == 0 ? 0 : throw IoError("cannot write to standard output");
    }
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    return static_cast<int>(sweep_as_study(line, error ? "lightrail" : program.string()));
  } catch (...) {
    std::fputs(error_text(std::current_exception()).c_str(), stderr);
    return static_cast<int>(exit_code_of(std::current_exception()));
  }
}

}  // namespace
}  // namespace lightrail

int main(int argc, char** argv) {
  using namespace lightrail;
  ask_for_huge_pages(argv);
  if (const auto line = line_without_mpi(argc, argv)) return run_alone(*line);
  MpiSession mpi(&argc, &argv);
  try {
    auto line = on_every_rank(mpi, [&] { return parse_command_line(argc, argv); });
    const ExitCode code = execute(line, mpi);
    end_output(mpi);
    return static_cast<int>(code);
  } catch (const FailedElsewhere& failed) {
    return static_cast<int>(failed.code);
  } catch (...) {
    // Outside every stage the other ranks cannot be told; waiting for them would hang.
    std::fputs(error_text(std::current_exception()).c_str(), stderr);
    MPI_Abort(mpi.comm(), static_cast<int>(exit_code_of(std::current_exception())));
  }
  return static_cast<int>(ExitCode::bug);
}
