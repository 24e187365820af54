#include <catch2/catch.hpp>

#include <vector>

#include "network/reduction/reductions.hpp"

using namespace lightrail;

TEST_CASE("bytes are summed when the last port has brought them, however they are cut") {
  Reductions sums(4);
  const std::vector<PortIndex> members{0, 2, 3};
  CHECK(sums.add(7, 0, 1000, members) == 0);
  CHECK(sums.add(7, 2, 600, members) == 0);
  CHECK(sums.add(7, 3, 900, members) == 600);
  CHECK(sums.add(7, 2, 400, members) == 300);
  CHECK(sums.waiting_bytes() == 200);
  CHECK(sums.add(7, 3, 100, members) == 100);
  CHECK(sums.waiting_bytes() == 0);
}

TEST_CASE("flows are summed apart, and sums in progress are saved and loaded") {
  Reductions sums(2), copy(2);
  const std::vector<PortIndex> members{0, 1};
  CHECK(sums.add(1, 0, 10, members) == 0);
  CHECK(sums.add(2, 1, 20, members) == 0);
  StateWriter out;
  sums.save(out);
  StateReader in(out.bytes());
  copy.load(in);
  CHECK(copy.add(1, 1, 10, members) == 10);
  CHECK(copy.add(2, 0, 20, members) == 20);
}
