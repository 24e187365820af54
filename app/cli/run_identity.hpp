#pragma once
#include <memory>

#include "app/cli/command_line.hpp"
#include "app/cli/stages.hpp"
#include "engine/checkpoint/checkpoint_file.hpp"
#include "engine/model/model.hpp"
#include "engine/scenario/scenario.hpp"

namespace lightrail {

/// This build, and a hash of everything that decides the result: the resolved scenario, seed, plugins, groups
/// and programs (and so the trace). Not: ranks, partition, windows, names of files.
[[nodiscard]] CheckpointIdentity run_identity(const Scenario& scenario, const Model& model,
                                              const CommandLine& line);

/// Decides where checkpoints go (--checkpoint, else beside the result file) and opens the one of --resume,
/// null without. Collective. Its parts are checked, shared among the ranks, before anything is written.
[[nodiscard]] std::unique_ptr<CheckpointFile> prepare_checkpoints(const Scenario& scenario,
                                                                  const Model& model, CommandLine& line,
                                                                  const MpiSession& mpi);

}  // namespace lightrail
