#include "network/transport/notice_pacer.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

TEST_CASE("a flow has one notice in an interval, whatever others have") {
  NoticePacer pacer;
  CHECK(pacer.is_due(1, microseconds(4), SimTime{0}));
  CHECK_FALSE(pacer.is_due(1, microseconds(4), nanoseconds(3999)));
  CHECK(pacer.is_due(2, microseconds(4), nanoseconds(3999)));
  CHECK(pacer.is_due(1, microseconds(4), microseconds(4)));
  NoticePacer other;
  StateWriter out;
  pacer.save(out);
  StateReader in(out.bytes());
  other.load(in);
  CHECK_FALSE(other.is_due(1, microseconds(4), nanoseconds(7999)));
  CHECK(other.is_due(2, microseconds(4), nanoseconds(7999)));
}
