#include "workloads/import/fastest_members.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

TEST_CASE("collectives are summed by kind and size, and their median is over all") {
  FastestMembers fastest;
  fastest.add(CollectiveType::all_gather, 64, 30);
  fastest.add(CollectiveType::all_reduce, 64, 10);
  fastest.add(CollectiveType::all_reduce, 64, 20);
  fastest.add(CollectiveType::all_reduce, 8, 50);
  Capture capture;
  fastest.into(capture);
  CHECK(fastest.count() == 4);
  CHECK(capture.fastest_sum_ps == 110);
  CHECK(capture.fastest_median_ps == 25);
  REQUIRE(capture.kinds.size() == 3);
  const Capture::Kind& kind = capture.kinds[1];
  CHECK((kind.type == CollectiveType::all_reduce && kind.bytes == 64));
  CHECK(kind.count == 2);
  CHECK(kind.fastest_sum_ps == 30);
}
