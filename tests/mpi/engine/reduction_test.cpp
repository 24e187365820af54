#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/sync/min_reduction.hpp"
#include "tests/support/ranks.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

WindowFacts reduce(WindowFacts mine) {
  WindowFacts all;
  MPI_Request request;
  start_reduction(mine, all, MPI_COMM_WORLD, request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return all;
}

}  // namespace

// MPICH 4.0.2 compares unsigned integers as signed in MPI_MIN: there an unsigned "never" (2^64 - 1) would win
// against every time, and elsewhere a negative stop code would lose against "none". Either change fails here.
TEST_CASE("in the window's reduction an idle rank never hides another rank's next event") {
  for (int busy = 0; busy < ranks(); ++busy) {
    WindowFacts mine;  // as an idle rank sends it
    if (rank() == busy) mine.next_time = 5;
    CHECK(reduce(mine).next_time == 5);
    if (rank() == busy) mine.next_time = time_never.count() - 1;
    CHECK(reduce(mine).next_time == time_never.count() - 1);
  }
  CHECK(reduce({}).next_time == time_never.count());
}

TEST_CASE("in the window's reduction one rank's stop request, failure or question reaches all") {
  for (int one = 0; one < ranks(); ++one) {
    WindowFacts mine;
    if (rank() == one)
      mine.stop = -15, mine.asks_progress = -1, mine.asks_checkpoint = -1, mine.failed_at = 0;
    const WindowFacts all = reduce(mine);
    CHECK(all.stop == -15);
    CHECK(all.asks_progress == -1);
    CHECK(all.asks_checkpoint == -1);
    CHECK(all.failed_at == 0);
  }
}

TEST_CASE("no source file reduces unsigned integers to a minimum or maximum") {
  if (rank() != 0) return;
  namespace fs = std::filesystem;
  int calls = 0;
  for (const char* folder : {"engine", "links", "components", "workloads", "fabrics"}) {
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      std::ifstream file(entry.path());
      for (std::string statement; std::getline(file, statement, ';');) {
        const auto has = [&](const char* word) { return statement.find(word) != std::string::npos; };
        const bool is_extreme = has("MPI_MIN,") || has("MPI_MAX,") || has("MPI_MIN)") || has("MPI_MAX)");
        calls += is_extreme;
        INFO(entry.path() << ": " << statement);
        CHECK_FALSE((is_extreme && (has("MPI_UINT") || has("MPI_UNSIGNED"))));
      }
    }
  }
  CHECK(calls > 0);
}
