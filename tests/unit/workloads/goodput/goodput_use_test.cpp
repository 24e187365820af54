#include "workloads/goodput/goodput_use.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

#include "tests/support/enumerators.hpp"

using namespace lightrail;

TEST_CASE("the names of what time goes into are the enumerators, every one and in their order") {
  const auto& names = goodput_use_names();
  CHECK(std::vector<std::string>(names.begin(), names.end()) == enumerator_names<GoodputUse>());
}
