#include "engine/sync/stop_requests.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

using namespace lightrail;

TEST_CASE("a caught signal becomes the code of a stop request") {
  for (int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    StopRequests stops(true, 0);
    CHECK(stops.code() == 0);
    std::raise(signal);
    CHECK(stops.code() == signal);
  }
  CHECK(StopRequests::name(SIGINT) == "SIGINT");
  CHECK(StopRequests::name(SIGTERM) == "SIGTERM");
  CHECK(StopRequests::name(SIGUSR1) == "SIGUSR1");
  CHECK(StopRequests::name(0).empty());
}

TEST_CASE("a signal that came before the run began stops it, and not the run after it") {
  {
    const StopRequests since_the_file(true, 0);
    std::raise(SIGTERM);
    const StopRequests of_the_run(true, 0);
    CHECK(of_the_run.code() == SIGTERM);
  }
  CHECK(StopRequests(true, 0).code() == 0);
}

TEST_CASE("the signal handlers of before come back") {
  struct sigaction before {
  }, after{};
  sigaction(SIGTERM, nullptr, &before);
  { const StopRequests stops(true, 0); }
  sigaction(SIGTERM, nullptr, &after);
  CHECK(before.sa_handler == after.sa_handler);
}

TEST_CASE("the wall clock asks to stop after the given time and not before") {
  const StopRequests never(false, 0), later(false, 1e6), soon(false, 0.01);
  CHECK(later.code() == 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(never.code() == 0);
  CHECK(soon.code() == StopRequests::exit_after);
  CHECK(StopRequests::name(StopRequests::exit_after) == "exit-after");
}
