#include <catch2/catch.hpp>
#include <cstdint>

#include "network/port/credit/shared_buffer.hpp"

using namespace lightrail;

// Two lanes of 100 B each, of which 30 B are a reserve: 140 B are shared.
TEST_CASE("a lane alone has its reserve and all that is shared, and another one its reserve still") {
  SharedBuffer buffer(30, 140);
  CHECK(buffer.free(0) == 170);
  buffer.take(0, 170);
  CHECK(buffer.free(0) == 0);
  CHECK(buffer.free(1) == 30);
  buffer.take(1, 30);
  CHECK(buffer.free(1) == 0);
}

TEST_CASE("what a lane gives back leaves the shared part first") {
  SharedBuffer buffer(30, 140);
  buffer.take(0, 100);
  CHECK(buffer.free(1) == 30 + 140 - 70);
  buffer.give(0, 60);
  CHECK(buffer.free(0) == 130);
  CHECK(buffer.free(1) == 30 + 140 - 10);
  buffer.give(0, 40);
  CHECK(buffer.free(0) == 170);
  CHECK(buffer.free(1) == 170);
}

TEST_CASE("a buffer whose reserves are all of it is that of each lane by itself") {
  SharedBuffer buffer(100, 0);
  buffer.take(0, 100);
  CHECK(buffer.free(0) == 0);
  CHECK(buffer.free(1) == 100);
}

TEST_CASE("what is borrowed beyond the shared part is nobody's credit until it is back") {
  SharedBuffer buffer(30, 140);
  buffer.take(0, 170);
  CHECK(buffer.overdrawn() == 0);
  buffer.take(0, 8);
  CHECK(buffer.overdrawn() == 8);
  CHECK(buffer.free(0) == 0);
  CHECK(buffer.free(1) == 30);
  buffer.give(0, 10);
  CHECK(buffer.free(0) == 2);
}

TEST_CASE("a buffer that is saved and loaded has the same free") {
  SharedBuffer buffer(30, 140), again(30, 140);
  buffer.take(0, 100), buffer.take(1, 20);
  again.set(buffer.state());
  CHECK(again.free(0) == buffer.free(0));
  CHECK(again.free(1) == buffer.free(1));
  again.give(0, 100), again.give(1, 20);
  CHECK(again.free(0) == 170);
}
