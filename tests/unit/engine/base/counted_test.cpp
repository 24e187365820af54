#include "engine/base/counted.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

TEST_CASE("one of a thing is named in the singular, none and several in the plural") {
  CHECK(counted(1, "GPU") == "1 GPU");
  CHECK(counted(0, "GPU") == "0 GPUs");
  CHECK(counted(2, "global link") == "2 global links");
  CHECK(counted(1, "leaf", "leaves") == "1 leaf");
  CHECK(counted(4, "leaf", "leaves") == "4 leaves");
}
