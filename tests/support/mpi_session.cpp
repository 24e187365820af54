#include <mpi.h>

namespace {

/// MPI for a whole test executable: linked in, it surrounds Catch's main.
struct MpiSession {
  MpiSession() { MPI_Init(nullptr, nullptr); }
  ~MpiSession() { MPI_Finalize(); }
};
const MpiSession session;

}  // namespace
