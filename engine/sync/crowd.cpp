#include "engine/sync/crowd.hpp"

#include <sched.h>

#include "engine/base/polite_wait.hpp"

namespace lightrail {

void watch_for_crowd(MPI_Comm comm) {
  MPI_Comm machine;
  meet(comm);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int ranks = 1;
  MPI_Comm_size(machine, &ranks);
  MPI_Comm_free(&machine);
  cpu_set_t cores;
  CPU_ZERO(&cores);
  // Without an answer it is found out while waiting.
  if (sched_getaffinity(0, sizeof cores, &cores) == 0 && ranks > CPU_COUNT(&cores)) this_core().set_crowded();
}

}  // namespace lightrail
