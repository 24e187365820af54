#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

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

/// Whatever it is for: the type may reach a reduction by way of a variable, an argument or a template.
bool names_unsigned_type(const std::string& line) {
  return line.find("MPI_UINT") != std::string::npos || line.find("MPI_UNSIGNED") != std::string::npos;
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

TEST_CASE("in the window's reduction rows are needed as long as one rank needs them") {
  CHECK(reduce({}).needs_rows == -1);
  for (int one = 0; one < ranks(); ++one) {
    WindowFacts mine;
    mine.needs_rows = rank() == one ? -1 : 0;
    CHECK(reduce(mine).needs_rows == -1);
  }
  WindowFacts full;
  full.needs_rows = 0;
  CHECK(reduce(full).needs_rows == 0);
}

TEST_CASE("no source file names an unsigned MPI type, so none can reach a reduction") {
  CHECK(names_unsigned_type("all_reduce(&hash, 1, MPI_UINT64_T, MPI_BXOR, comm);"));
  CHECK(names_unsigned_type("const MPI_Datatype type = MPI_UNSIGNED_LONG;"));
  CHECK_FALSE(names_unsigned_type("all_reduce(&hash, 1, MPI_INT64_T, MPI_BXOR, comm);"));
  if (rank() != 0) return;
  namespace fs = std::filesystem;
  int reductions = 0;
  for (const char* folder :
       {"benchmarks", "components", "engine", "fabrics", "links", "tests/support", "workloads"})
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        reductions += line.find("MPI_Iallreduce") != std::string::npos;
        if (names_unsigned_type(line)) FAIL_CHECK(entry.path() << ": " << line);
      }
    }
  CHECK(reductions > 0);
}
