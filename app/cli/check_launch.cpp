#include "app/cli/check_launch.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace lightrail {

void check_launch(const MpiSession& mpi) {
  // Of srun's steps alone; in a job whose ranks mpiexec starts it is absent, or counts nodes.
  const char* given = std::getenv("SLURM_STEP_NUM_TASKS");
  const int tasks = given ? std::atoi(given) : 1;
  if (tasks <= 1 || mpi.size() > 1) return;
  throw InputErrors(InputError{
      "", 0,
      fmt::format("srun has started {} tasks, but for MPI each is alone: they would be {} runs of one result "
                  "(start ranks with srun --mpi=pmi2; for runs of one rank side by side unset "
                  "SLURM_STEP_NUM_TASKS)",
                  tasks, tasks)});
}

}  // namespace lightrail
