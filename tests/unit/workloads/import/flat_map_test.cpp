#include "workloads/import/flat_map.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>

#include "engine/base/random.hpp"

using namespace lightrail;

TEST_CASE("a flat map holds what a map holds, also where many keys begin alike") {
  Random random(7, ComponentId{0}, 0);
  FlatMap<std::uint32_t> flat;
  std::map<std::uint64_t, std::uint32_t> map;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const std::uint64_t key = (random.next_u64() % 5000) << (i % 3 * 20);
    CHECK(flat[key] == map[key]);
    flat[key] = map[key] = i;
  }
  CHECK(flat.size() == map.size());
  std::map<std::uint64_t, std::uint32_t> again;
  flat.each([&](std::uint64_t key, std::uint32_t value) { CHECK(again.emplace(key, value).second); });
  CHECK(again == map);
}

TEST_CASE("a cleared flat map is empty and takes keys again") {
  FlatMap<int> flat;
  flat[0] = 3;
  flat[~std::uint64_t{0} - 1] = 4;
  flat.clear();
  CHECK(flat.size() == 0);
  CHECK(flat[0] == 0);
  CHECK(flat.size() == 1);
}
