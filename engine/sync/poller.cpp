#include "engine/sync/poller.hpp"

#include <sched.h>
#include <sys/prctl.h>

#include <chrono>
#include <ctime>

namespace lightrail {
namespace {

constexpr int spins = 1000;                                  // about 0.1 ms
constexpr int sleeping_waits = 256;                          // until the core is tried again
constexpr auto long_yield = std::chrono::microseconds(500);  // others ran meanwhile
constexpr timespec moment{0, 10'000};                        // [s, ns]

}  // namespace

Poller::Poller(MPI_Comm comm) {
  MPI_Comm machine;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int ranks = 1;
  MPI_Comm_size(machine, &ranks);
  MPI_Comm_free(&machine);
  cpu_set_t cores;
  CPU_ZERO(&cores);
  const bool is_known = sched_getaffinity(0, sizeof cores, &cores) == 0;
  if (is_known && ranks <= CPU_COUNT(&cores)) tests_before_yield_ = spins;
  prctl(PR_SET_TIMERSLACK, 1);  // else a moment lasts 60 us
}

void Poller::wait(std::vector<MPI_Request>& requests) {
  if (sleeping_waits_ > 0) --sleeping_waits_;
  for (int tests = 0;;) {
    int is_done = 0;
    MPI_Testall(static_cast<int>(requests.size()), requests.data(), &is_done, MPI_STATUSES_IGNORE);
    if (is_done) return;
    if (++tests >= tests_before_yield_) let_others_run();
  }
}

void Poller::let_others_run() {
  using Clock = std::chrono::steady_clock;
  if (sleeping_waits_ > 0) {
    nanosleep(&moment, nullptr);
    return;
  }
  const auto before = Clock::now();
  sched_yield();
  if (Clock::now() - before > long_yield) sleeping_waits_ = sleeping_waits;
}

}  // namespace lightrail
