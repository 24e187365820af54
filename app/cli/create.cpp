#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>

#include "app/cli/build_model.hpp"
#include "app/cli/child_identities.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/run_detail.hpp"
#include "app/create/decide_scenario.hpp"
#include "app/create/new_scenario_text.hpp"
#include "app/create/questions.hpp"

namespace lightrail {
namespace {

/// Whoever made a file of that name meanwhile keeps it.
void write_new(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST)
    throw InputErrors(InputError{path, 0, "the file exists (lightrail new overwrites nothing)"});
  const bool is_written =
      file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const std::string reason = std::strerror(errno);
  if (file >= 0) close(file);
  if (!is_written) throw IoError(fmt::format("cannot write '{}' ({})", path, reason));
}

/// What `lightrail validate` would say; a file with a mistake is not left behind.
void check_written(const CommandLine& line, const Registry& registry) {
  try {
    CommandLine checked = line;
    const ReadScenario scenario = load_to_build(checked);
    static_cast<void>(model_to_run(build_model(scenario, registry, checked)));
  } catch (const InputErrors& problems) {
    std::remove(line.positional.front().c_str());
    ErrorList errors;
    errors.add({"", 0, "new: no system comes of these options, nothing is written"});
    for (const InputError& problem : problems.errors()) errors.add({"", 0, problem.what});
    errors.throw_if_any();
  }
}

std::string create_scenario(const CommandLine& line) {
  const std::string& path = line.positional.front();
  std::error_code error;
  if (std::filesystem::path(path).extension() != ".xml")
    throw InputErrors(InputError{path, 0, "a scenario's name ends in .xml"});
  if (std::filesystem::exists(path, error))
    throw InputErrors(InputError{path, 0, "the file exists (lightrail new overwrites nothing)"});
  const Registry registry = load_registry({});
  const Catalogue catalogue = catalogue_of(line);
  const bool asks = !line.create_is_told && isatty(STDIN_FILENO) != 0;
  const NewOptions options =
      asks ? ask_for_options(std::cin, std::cout, catalogue, child_identities()) : line.create;
  const NewScenario made = decide_scenario(options, path, catalogue, child_identities(), registry.algorithms);
  write_new(path, new_scenario_text(made, path));
  check_written(line, registry);
  return fmt::format("{}: {}\n  lightrail validate {}\n  lightrail run {}\n", path,
                     new_scenario_sentence(made), path, path);
}

}  // namespace

ExitCode create(const CommandLine& line, const MpiSession& mpi) {
  // One process asks and writes.
  const std::string text =
      on_every_rank(mpi, [&]() -> std::string { return mpi.rank() == 0 ? create_scenario(line) : ""; });
  std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

}  // namespace lightrail
