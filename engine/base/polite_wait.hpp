#pragma once
#include <mpi.h>

#include <vector>

#include "engine/base/backoff.hpp"

namespace lightrail {

/// Ends the requests of non-blocking calls. MPICH's blocking calls spin without end, which keeps other ranks
/// off the core where ranks outnumber cores or others use the machine: 4 ms and more a call.
inline void wait_politely(std::vector<MPI_Request>& requests) {
  Backoff backoff(this_core());
  for (int is_done = 0;;) {
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &is_done, MPI_STATUSES_IGNORE);
    if (is_done) return;
    backoff.pause();
  }
}

/// Ends one request.
inline void wait_politely(MPI_Request& request) {
  Backoff backoff(this_core());
  for (int is_done = 0;;) {
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (is_done) return;
    backoff.pause();
  }
}

/// MPI_Allreduce in place.
inline void all_reduce(void* values, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  MPI_Request request;
  MPI_Iallreduce(MPI_IN_PLACE, values, count, type, op, comm, &request);
  wait_politely(request);
}

/// MPI_Bcast.
inline void broadcast(void* values, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  MPI_Request request;
  MPI_Ibcast(values, count, type, root, comm, &request);
  wait_politely(request);
}

/// Until every rank of `comm` is here: before a collective call that MPI has in a blocking form only.
inline void meet(MPI_Comm comm) {
  MPI_Request request;
  MPI_Ibarrier(comm, &request);
  wait_politely(request);
}

}  // namespace lightrail
