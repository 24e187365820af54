#include <catch2/catch.hpp>

#include <cstdint>

#include "engine/model/hot_lines.hpp"

using namespace lightrail;

TEST_CASE("hot lines are those that parts of the object lie in, of its first 64") {
  struct alignas(64) Object {
    char head[60], across[8], rest[64 * 80];
  };
  const Object object{};
  HotLines lines(&object);
  CHECK(lines.lines() == 0);
  lines.add(object.across);
  CHECK(lines.lines() == 0b11);
  lines.add(object.rest + 60 + 64, 1);
  CHECK(lines.lines() == 0b1011);
  lines.add(object.rest, sizeof object.rest);
  CHECK(lines.lines() == ~std::uint64_t{0});
  HotLines none(&object);
  none.add(object.rest + 64 * 70, 1);
  CHECK(none.lines() == 0);
}
