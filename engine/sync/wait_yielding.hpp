#pragma once
#include <mpi.h>
#include <sched.h>

namespace lightrail {

/// Ends one non-blocking call. For the few collective calls outside the windows: MPI's blocking ones spin
/// through their time slice when ranks outnumber cores.
inline void wait_yielding(MPI_Request& request) {
  for (int is_done = 0;;) {
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (is_done) return;
    sched_yield();
  }
}

/// MPI_Allreduce in place.
inline void all_reduce(void* values, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, values, count, type, op, comm, &request);
  wait_yielding(request);
}

}  // namespace lightrail
