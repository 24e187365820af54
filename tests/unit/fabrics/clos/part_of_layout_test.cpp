#include "fabrics/clos/part_of_layout.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <utility>
#include <vector>

using namespace lightrail;

namespace {

FabricLayout layout(std::vector<std::uint32_t> nics, std::uint32_t up, std::uint32_t spines,
                    std::uint32_t cores = 0) {
  FabricLayout made;
  made.tiers = 3;
  made.networks.resize(1);
  made.networks[0].nics = std::move(nics);
  made.networks[0].shape.up = up;
  made.networks[0].shape.spines = spines;
  made.networks[0].shape.cores_per_plane = cores;
  return made;
}

}  // namespace

TEST_CASE("a part with leaves of the whole's sizes and as many tiers is its share") {
  const LayoutDifference is =
      difference_of(layout({32, 32}, 16, 1), layout(std::vector<std::uint32_t>(8, 32), 16, 4));
  CHECK(is.tiers.empty());
  CHECK(is.leaves.empty());
  CHECK(is.is_oversubscribed);
}

TEST_CASE("leaves of other sizes are told, and tiers that the part lacks") {
  const LayoutDifference is = difference_of(layout({32, 32, 32, 32}, 16, 1), layout({40, 40, 39}, 20, 5, 2));
  CHECK(is.tiers == "2 tiers of the whole's 3");
  CHECK(is.leaves == "4 leaves of 32 NICs and 16 uplinks, the whole 2 of 40 and 20, 1 of 39 and 20");
  CHECK(is.is_oversubscribed);
}

TEST_CASE("a last leaf that is not full makes no difference, uplinks as NICs no oversubscription") {
  std::vector<std::uint32_t> nics(40, 64);
  nics.push_back(32);
  const LayoutDifference is = difference_of(layout({64, 64}, 64, 2), layout(nics, 64, 64));
  CHECK(is.leaves.empty());
  CHECK_FALSE(is.is_oversubscribed);
}

TEST_CASE("one leaf for the whole's many has no uplinks") {
  const LayoutDifference is = difference_of(layout({32}, 0, 0), layout({48, 48, 48}, 16, 1));
  CHECK(is.tiers == "1 tier of the whole's 2");
  CHECK(is.leaves == "1 leaf of 32 NICs, the whole 3 of 48 and 16");
  CHECK(is.is_oversubscribed);
}
