#pragma once
#include <mpi.h>
#include <sched.h>
#include <time.h>

namespace lightrail {

/// Waits for a request without keeping the core busy: blocking MPI calls of MPICH spin, which costs the other
/// ranks 10 ms and more a call when ranks outnumber cores.
inline void wait_politely(MPI_Request request) {
  int is_done = 0;
  for (int spins = 0; MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !is_done; ++spins) {
    if (spins < 1000) {
      sched_yield();
    } else {
      timespec pause{0, 100'000};
      nanosleep(&pause, nullptr);
    }
  }
}

}  // namespace lightrail
