#pragma once
#include <mpi.h>

namespace lightrail {

/// Collective, once after MPI_Init: where this machine runs more of `comm`'s ranks than this rank may use
/// cores, waiting ranks leave their core at once (engine/base/backoff.hpp).
void watch_for_crowd(MPI_Comm comm);

}  // namespace lightrail
