#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/commands.hpp"
#include "app/cli/expected_events.hpp"
#include "app/cli/run_detail.hpp"
#include "app/cli/slow_run.hpp"
#include "app/cli/step_span.hpp"
#include "engine/model/detail_used.hpp"

namespace lightrail {
namespace {

struct Rung {
  std::string name;
  std::string left_out;                 ///< why it has not run
  std::vector<std::string> by_formula;  ///< DetailUsed
  StepRun run;
};

/// The first whole step of the scenario at one detail. Collective.
Rung climb(Detail detail, const ReadScenario& scenario, const Registry& registry, CommandLine line,
           const MpiSession& mpi) {
  line.run.catch_signals = false;  // no file is open: a signal ends the ladder
  Rung rung;
  std::optional<Model> model;
  std::optional<Partition> partition;
  on_every_rank(mpi, [&] {
    try {
      model.emplace(model_to_run(build_model(with_detail(scenario, detail), registry, line)));
    } catch (const InputErrors& problem) {
      if (has_trains(detail)) throw;
      rung.left_out = problem.errors().front().what;
      return;
    }
    const Expected expected = expected_events(*model);
    if (expected.seconds(mpi.size()) > line.longest_rung_s)
      rung.left_out = fmt::format("about {}, {:.2g} events (--longest)",
                                  duration_text(expected.seconds(mpi.size())), expected.events);
    else
      partition.emplace(make_partition(*model, mpi.size(), line.partition));
  });
  if (const auto* used = model ? model->resource<DetailUsed>() : nullptr) rung.by_formula = used->formula;
  if (!partition) return rung;
  rung.run = run_step(*model, *partition, line.run, mpi.comm());
  if (rung.run.step.gpus == 0) rung.left_out = "no GPU has ended a step";
  return rung;
}

std::string line_of(const Rung& rung, const Rung* finest) {
  if (!rung.left_out.empty()) return fmt::format("{:<9}not run: {}\n", rung.name, rung.left_out);
  const StepSpan::Span& step = rung.run.step;
  const auto mean = [&](SimTime sum) { return format_time(sum / step.gpus); };
  const double off =
      static_cast<double>(rung.run.length().count()) / static_cast<double>(finest->run.length().count()) - 1;
  return fmt::format("{:<9}{:>6} {:>13} {:>9.2f}  {:>12} {:>12} {:>12}  {}\n", rung.name, step.gpus,
                     rung.run.events, rung.run.wall_s, format_time(rung.run.length()), mean(step.compute),
                     mean(step.exposed), &rung == finest ? "" : fmt::format("{:+.2f} %", 100 * off));
}

}  // namespace

ExitCode ladder(CommandLine line, const MpiSession& mpi) {
  const auto registry = on_every_rank(mpi, [&] { return load_registry(line.plugins); });
  const auto scenario = on_every_rank(mpi, [&] { return load_to_build(line); });
  std::vector<Rung> rungs;
  for (const auto& [name, detail] :
       {std::pair{"formula", Detail::formula}, std::pair{"messages", Detail::messages},
        std::pair{"trains", Detail::trains}, std::pair{"packets", Detail::packets}}) {
    rungs.push_back(climb(detail, scenario, registry, line, mpi));
    rungs.back().name = name;
  }
  const Rung* finest = nullptr;
  for (const Rung& rung : rungs)
    if (rung.left_out.empty()) finest = &rung;
  if (mpi.rank() != 0) return ExitCode::done;
  std::string text =
      fmt::format("{:<9}{:>6} {:>13} {:>9}  {:>12} {:>12} {:>12}  {}\n", "detail", "GPUs", "events",
                  "wall [s]", "first step", "compute", "exposed", finest ? "against " + finest->name : "");
  for (const Rung& rung : rungs) text += line_of(rung, finest);
  if (const std::vector<std::string>& some = rungs[2].by_formula; !some.empty())
    text += fmt::format("{} by formula in the rows of messages and trains\n", fmt::join(some, "; "));
  std::fputs(text.c_str(), stdout);
  return ExitCode::done;
}

}  // namespace lightrail
