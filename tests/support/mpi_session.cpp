#include <mpi.h>

#include "engine/base/polite_wait.hpp"
#include "engine/sync/crowd.hpp"

namespace {

/// MPI for a whole test executable: linked in, it surrounds Catch's main.
struct MpiSession {
  MpiSession() {
    MPI_Init(nullptr, nullptr);
    lightrail::watch_for_crowd(MPI_COMM_WORLD);
  }
  ~MpiSession() {
    lightrail::meet(MPI_COMM_WORLD);  // MPI_Finalize waits for all, and spins
    MPI_Finalize();
  }
};
const MpiSession session;

}  // namespace
