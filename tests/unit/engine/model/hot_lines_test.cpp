#include <catch2/catch.hpp>

#include <cstddef>
#include <cstdint>

#include "engine/base/error.hpp"
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
  none.add(object.across, 0);
  CHECK(none.lines() == 0);
}

TEST_CASE("hot lines of members are all from the first one to the last one") {
  struct alignas(64) Object {
    char head[64];
    std::uint32_t first = 0;
    char between[100];
    std::uint32_t last = 0;
    char rest[300];
  };
  static_assert(offsetof(Object, last) == 168);
  const Object object{};
  HotLines lines(&object);
  lines.add_all(object.first, object.last);
  CHECK(lines.lines() == 0b110);
  lines.add_all(object.head, object.head);
  CHECK(lines.lines() == 0b111);
  CHECK_THROWS_AS(lines.add_all(object.last, object.first), ContractError);
}
