#include "app/cli/step_range.hpp"

#include <catch2/catch.hpp>

#include "engine/base/error.hpp"

using namespace lightrail;

TEST_CASE("steps to check are a number or a range of them") {
  CHECK(parse_step_range("3") == StepRange{3, 3});
  CHECK(parse_step_range("2-4") == StepRange{2, 4});
  for (const char* text : {"", "-", "4-2", "1-", "-1", "1-2-3", "1.5", "x", "4294967296"})
    CHECK_THROWS_AS(parse_step_range(text), InputErrors);
}
