#include "network/port/line_record.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>

using namespace lightrail;

TEST_CASE("trains that follow one another at the same distance are one run") {
  LineRecord record;
  for (int i = 0; i < 5; ++i) record.add(SimTime{100 + 30 * i}, SimTime{30}, 4096, {7});
  REQUIRE(record.runs.size() == 1);
  const LineRecord::Run& run = record.runs.front();
  CHECK(run.start == SimTime{100});
  CHECK(run.period == SimTime{30});
  CHECK(run.busy == SimTime{30});
  CHECK(run.count == 5);
  CHECK(run.payload_bytes == 4096);
}

TEST_CASE("another length, connection or distance begins another run") {
  LineRecord record;
  record.add(SimTime{0}, SimTime{30}, 4096, {7});
  record.add(SimTime{30}, SimTime{30}, 4096, {7});
  record.add(SimTime{60}, SimTime{10}, 1000, {7});  // shorter
  record.add(SimTime{70}, SimTime{10}, 1000, {8});  // of another connection
  record.add(SimTime{80}, SimTime{10}, 0, {8});     // a control message
  record.add(SimTime{90}, SimTime{10}, 0, {8});
  record.add(SimTime{190}, SimTime{10}, 0, {8});  // later
  REQUIRE(record.runs.size() == 5);
  CHECK(record.runs[0].count == 2);
  CHECK(record.runs[3].count == 2);
  CHECK(record.runs[4].start == SimTime{190});
}

TEST_CASE("a record comes back from a checkpoint as it was") {
  LineRecord record, other;
  record.add(SimTime{5}, SimTime{30}, 4096, {7});
  record.carried_bytes = 4200;
  record.queue.total_wait = SimTime{12};
  record.is_plain = false;
  StateWriter out;
  record.save(out);
  StateReader in(out.bytes());
  other.load(in);
  CHECK(in.is_at_end());
  StateWriter again;
  other.save(again);
  CHECK(std::equal(out.bytes().begin(), out.bytes().end(), again.bytes().begin(), again.bytes().end()));
  CHECK(other.carried_bytes == 4200);
  CHECK_FALSE(other.is_plain);
}
