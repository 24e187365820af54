#include "workloads/import/number_range.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <utility>

#include "engine/base/error.hpp"

using namespace lightrail;

TEST_CASE("a range of steps is one number or two") {
  CHECK(parse_range("3", "x") == std::pair<std::int64_t, std::int64_t>{3, 3});
  CHECK(parse_range("2-14", "x") == std::pair<std::int64_t, std::int64_t>{2, 14});
  for (const char* bad : {"", "-", "2-", "4-2", "2-4x", "x"}) {
    CAPTURE(bad);
    CHECK_THROWS_WITH(parse_range(bad, "t.json"), Catch::Contains("t.json: steps '"));
  }
}
