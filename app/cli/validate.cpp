#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/cli/print_summary.hpp"
#include "app/cli/scenario_text.hpp"
#include "app/cli/sweep.hpp"
#include "engine/record/provenance.hpp"
#include "fabrics/system/system_text.hpp"

namespace lightrail {

ExitCode print_help(const CommandLine& line, const MpiSession& mpi) {
  if (mpi.rank() == 0) std::fputs(line.help.c_str(), stdout);
  return ExitCode::done;
}

ExitCode print_version(const MpiSession& mpi) {
  if (mpi.rank() == 0) std::printf("lightrail %s (%s)\n", software_version(), git_describe());
  return ExitCode::done;
}

namespace {

/// Points of <sweep> that a run would refuse, each with its settings before its mistakes.
void check_points(const CommandLine& line, const Scenario& scenario, const Registry& registry) {
  if (scenario.root.children_named("sweep").empty()) return;
  ErrorList errors;
  for (const std::vector<std::string>& point : sweep_points(scenario)) {
    CommandLine one = at_point(line, point);
    try {
      const ReadScenario of_point = load_to_build(one);
      static_cast<void>(model_to_run(build_model(of_point, registry, one)));
    } catch (const InputErrors& problems) {
      for (const InputError& e : problems.errors())
        errors.add({e.file, e.line, fmt::format("with {}: {}", fmt::join(point, ", "), e.what)});
    }
  }
  errors.throw_if_any();
}

}  // namespace

ExitCode validate(CommandLine line, const MpiSession& mpi) {
  auto text = on_every_rank(mpi, [&] {
    const Registry registry = load_registry(line.plugins);
    ReadScenario scenario = load_to_build(line);
    Model model = build_model(scenario, registry, line);
    const std::vector<Remark> remarks = model_to_run(model).remarks;
    check_points(line, scenario, registry);
    std::string out;
    if (line.map) out += map_text(model);
    if (line.dot) out += dot_text(model);
    if (line.budget) {
      std::string budget = budget_text(model);
      out += budget.empty() ? "no optical links\n" : budget;
    }
    return out.empty() ? scenario_text(line.positional.front(), model) + remarks_text(remarks) : out;
  });
  if (mpi.rank() == 0) std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

}  // namespace lightrail
