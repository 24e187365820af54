#include "fabrics/system/whole_fabric.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/fabrics/test_system.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

std::shared_ptr<const WholeFabric> whole_of(const std::string& inner, std::uint32_t times,
                                            std::int64_t nics = 4) {
  return build_whole_fabric(scenario_of(inner), times, nics, plain_kinds(), built_in_fabrics());
}

const std::string two_tiers = R"(kind="fat-tree" tiers="2" nics-per-leaf="2")";

}  // namespace

TEST_CASE("the whole has so many times the servers of the part, on the same fabric") {
  const auto whole = whole_of(cluster(2, 2, 2) + fabric(two_tiers, 4), 2);
  CHECK(whole->problem.empty());
  CHECK_FALSE(whole->cost);
  REQUIRE(whole->layouts.size() == 1);
  CHECK(whole->layouts[0].networks[0].nics == std::vector<std::uint32_t>{2, 2, 2, 2});
}

TEST_CASE("a whole that does not fit, or is too large to build, is no fabric and says why") {
  const auto small = whole_of(cluster(2, 2, 2) + fabric(two_tiers, 4), 8);
  CHECK(small->problem.find("<fabric> does not fit") == 0);
  CHECK(small->layouts.empty());
  CHECK(whole_of(cluster(2, 2, 2) + fabric(two_tiers, 4), 60'000, 10)->problem ==
        "it has 600000 NICs, more than 500000");
}
