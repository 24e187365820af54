#include "engine/model/output_selection.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace lightrail;

TEST_CASE("a table is recorded for the endpoints of its ranges, both ends included") {
  OutputSelection selection;
  selection.by_table = {{true, {{2, 3}, {7, 7}}}, {false, {{0, 9}}}};
  CHECK(selection.is_recorded(0));
  CHECK_FALSE(selection.is_recorded(1));
  for (std::uint32_t id = 0; id < 10; ++id) {
    CHECK(selection.is_recorded(0, EndpointId{id}) == (id == 2 || id == 3 || id == 7));
    CHECK_FALSE(selection.is_recorded(1, EndpointId{id}));
  }
}

TEST_CASE("a table that the selection does not have is not recorded") {
  CHECK_FALSE(OutputSelection{}.is_recorded(0));
  CHECK_FALSE(OutputSelection{}.is_recorded(5, EndpointId{0}));
}
