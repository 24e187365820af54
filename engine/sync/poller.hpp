#pragma once
#include <mpi.h>

#include <vector>

namespace lightrail {

/// Waits for requests by testing. Yields the core at once when the ranks of this machine outnumber its cores:
/// a blocking wait would cost a time slice of the scheduler (9 to 24 ms) a window.
class Poller {
 public:
  explicit Poller(MPI_Comm comm);
  void wait(std::vector<MPI_Request>& requests) const;

 private:
  int tests_before_yield_ = 1;
};

}  // namespace lightrail
