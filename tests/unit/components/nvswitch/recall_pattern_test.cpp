#include "components/nvswitch/recall_pattern.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

using namespace lightrail;

TEST_CASE("what is owed behind trains is what adding them one by one leaves") {
  const std::vector<std::uint32_t> trains{4096, 4096, 4096, 100, 4096, 64, 64, 64, 9000, 1};
  for (const std::uint32_t limit : {1u, 64u, 5000u, 8192u, 12'000u, 1'000'000u})
    for (std::uint32_t before = 0; before < std::min(limit, 20'000u); before += 77) {
      FreedRecord record;
      std::uint32_t owed = before;
      for (const std::uint32_t bytes : trains) {
        record.add(bytes, SimTime{0});
        owed += bytes;
        if (owed >= limit) owed = 0;
      }
      CHECK(record.unreported_then(before, limit) == owed);
    }
}

TEST_CASE("the most that becomes free at one time") {
  FreedRecord record;
  record.add(10, SimTime{5}), record.add(20, SimTime{7}), record.add(30, SimTime{7});
  CHECK(record.most_at_once() == 50);
  record.add(40, SimTime{9});
  CHECK(record.most_at_once() == 50);
  record.add(60, SimTime{11});
  CHECK(record.most_at_once() == 60);
}
