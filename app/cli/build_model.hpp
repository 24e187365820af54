#pragma once
#include <cstdint>
#include <string>

#include "app/cli/command_line.hpp"
#include "app/cli/read_recall.hpp"
#include "app/cli/run_detail.hpp"
#include "app/registry/registry.hpp"
#include "engine/base/time.hpp"
#include "engine/model/model.hpp"
#include "engine/scenario/catalogue.hpp"
#include "engine/scenario/read_scenario.hpp"

namespace lightrail {

/// <run seed="1" stop-at="10 s" detail="trains" recall="none"/>.
struct RunSpec {
  std::int64_t seed = 1;
  SimTime stop_at = time_never;
  Detail detail = Detail::trains;
  Recall recall = Recall::none;
};
[[nodiscard]] Describe<RunSpec> run_parameters();

/// The scenario of the command line, with its catalogue found. Throws InputErrors with its mistakes.
[[nodiscard]] Scenario load(const CommandLine& line);

/// The same for build_model(), which reports mistakes of reading with those of building.
[[nodiscard]] ReadScenario load_to_build(const CommandLine& line);

/// Scenario -> model, with every mistake reported, unread parameters included. Fills seed and stop time of
/// `line` where it has none.
[[nodiscard]] Model build_model(const ReadScenario& scenario, const Registry& registry, CommandLine& line);

/// The folder of --catalogue or LIGHTRAIL_CATALOGUE, and for what it has not the one that comes with
/// lightrail; that one alone where neither is given.
[[nodiscard]] Catalogue catalogue_of(const CommandLine& line);

/// The folder that holds `what` ("configs"): beside the source tree the executable was built in, or
/// installed.
[[nodiscard]] std::string find_shared_folder(const std::string& what);

}  // namespace lightrail
