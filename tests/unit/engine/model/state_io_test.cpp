#include "engine/model/state_io.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <cstring>
#include <map>
#include <unordered_map>
#include <vector>

using namespace lightrail;

TEST_CASE("a state reads back what was written") {
  StateWriter out;
  out.put(std::uint8_t{7});
  out.put(std::vector<std::int64_t>{1, -2, 3});
  out.put(std::vector<std::vector<int>>{{1}, {}, {2, 3}});
  out.put(std::map<int, std::vector<int>>{{4, {5, 6}}});
  StateReader in(out.bytes());
  std::uint8_t byte = 0;
  std::vector<std::int64_t> numbers;
  std::vector<std::vector<int>> nested;
  std::map<int, std::vector<int>> map;
  in.get(byte), in.get(numbers), in.get(nested), in.get(map);
  CHECK(byte == 7);
  CHECK(numbers == std::vector<std::int64_t>{1, -2, 3});
  CHECK(nested == std::vector<std::vector<int>>{{1}, {}, {2, 3}});
  CHECK(map == std::map<int, std::vector<int>>{{4, {5, 6}}});
  CHECK(in.is_at_end());
}

TEST_CASE("equal hash maps have equal bytes whatever the order they were filled in") {
  std::unordered_map<std::uint64_t, int> up, down;
  for (std::uint64_t i = 0; i < 1000; ++i) up[i * 7919] = 1;
  for (std::uint64_t i = 1000; i-- > 0;) down[i * 7919] = 1;
  StateWriter a, b;
  a.put(up), b.put(down);
  REQUIRE(a.bytes().size() == b.bytes().size());
  CHECK(std::memcmp(a.bytes().data(), b.bytes().data(), a.bytes().size()) == 0);
}

TEST_CASE("a state that ends early or has an impossible count is refused") {
  StateWriter out;
  out.put(std::uint32_t{1});
  std::uint64_t wide = 0;
  StateReader cut(out.bytes());
  CHECK_THROWS_WITH(cut.get(wide), Catch::Contains("state ends early"));
  StateWriter huge;
  huge.put(std::size_t{1} << 60);
  std::vector<int> values;
  StateReader in(huge.bytes());
  CHECK_THROWS_WITH(in.get(values), Catch::Contains("state has an impossible count"));
}
