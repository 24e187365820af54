#pragma once
#include <mpi.h>

#include <vector>

namespace lightrail {

/// Waits for requests by testing; a blocking wait would cost a time slice of the scheduler (9 to 24 ms) a
/// window when ranks outnumber cores. It spins first if every rank has a core, then yields. Where a yield
/// shows that others want the core, it sleeps for moments instead: the scheduler wakes a sleeper at once, but
/// lets one who yields wait for everybody's time slice (measured with 4 ranks on 2 busy cores: 8 times
/// faster).
class Poller {
 public:
  explicit Poller(MPI_Comm comm);
  void wait(std::vector<MPI_Request>& requests);

 private:
  void let_others_run();
  int tests_before_yield_ = 1;
  int sleeping_waits_ = 0;  // so many waits sleep before a yield is tried again
};

}  // namespace lightrail
