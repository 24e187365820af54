#include <cstdio>
#include <string>

#include "app/cli/commands.hpp"
#include "app/cli/print_summary.hpp"
#include "app/cli/scenario_text.hpp"
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

ExitCode validate(CommandLine line, const MpiSession& mpi) {
  auto text = on_every_rank(mpi, [&] {
    const Registry registry = load_registry(line.plugins);
    Scenario scenario = load(line);
    Model model = build_model(scenario, registry, line);
    std::string out;
    if (line.map) out += map_text(model);
    if (line.dot) out += dot_text(model);
    if (line.budget) {
      std::string budget = budget_text(model);
      out += budget.empty() ? "no optical links\n" : budget;
    }
    return out.empty() ? scenario_text(line.positional.front(), model) + remarks_text(model.remarks) : out;
  });
  if (mpi.rank() == 0) std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

}  // namespace lightrail
