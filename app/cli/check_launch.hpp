#pragma once
#include "app/cli/stages.hpp"

namespace lightrail {

/// Throws InputErrors when srun has started several tasks that MPI does not join, as with Slurm's default
/// MpiDefault=none: each would make the same run alone and write the same file.
void check_launch(const MpiSession& mpi);

}  // namespace lightrail
