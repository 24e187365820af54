#pragma once
#include <memory>

#include "engine/model/model.hpp"
#include "engine/model/model_notes.hpp"
#include "workloads/program/program.hpp"

namespace lightrail {

/// Whether the table ops has every operation of the job: all GPUs with a program are recorded.
[[nodiscard]] bool records_all_operations(const Model& model, const ProgramSet& programs);

/// Adds /model/programs/ops and /model/programs/dependencies: what the operations of all programs are and
/// wait for, which `lightrail explain` follows the critical path by. A column is made when the file is
/// written.
void add_operations(const std::shared_ptr<const ProgramSet>& programs, ModelNotes& notes);

}  // namespace lightrail
