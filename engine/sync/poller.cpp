#include "engine/sync/poller.hpp"

#include <sched.h>

namespace lightrail {

Poller::Poller(MPI_Comm comm) {
  MPI_Comm machine;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int ranks = 1;
  MPI_Comm_size(machine, &ranks);
  MPI_Comm_free(&machine);
  cpu_set_t cores;
  CPU_ZERO(&cores);
  const bool is_known = sched_getaffinity(0, sizeof cores, &cores) == 0;
  if (is_known && ranks <= CPU_COUNT(&cores)) tests_before_yield_ = 1000;
}

void Poller::wait(std::vector<MPI_Request>& requests) const {
  for (int tests = 0;;) {
    int is_done = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &is_done, MPI_STATUSES_IGNORE);
    if (is_done) return;
    if (++tests >= tests_before_yield_) sched_yield();
  }
}

}  // namespace lightrail
