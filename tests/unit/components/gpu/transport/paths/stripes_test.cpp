#include "components/gpu/transport/paths/stripes.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace lightrail;

namespace {

std::vector<std::int64_t> stripes(NicStriping striping, std::int64_t bytes, std::uint32_t count,
                                  std::uint32_t from = 0, std::uint32_t to = 0, std::uint32_t channel = 0) {
  std::vector<std::int64_t> all;
  for (std::uint32_t i = 0; i < count; ++i)
    all.push_back(stripe_bytes(striping, bytes, i, count, EndpointId{from}, EndpointId{to},
                               Connection::make(0, channel, 0)));
  return all;
}

}  // namespace

TEST_CASE("split cuts a message into equal parts of whole 128 B, and the last ones take what is left") {
  using Parts = std::vector<std::int64_t>;
  CHECK(stripes(NicStriping::split, 1024, 2) == Parts{512, 512});
  CHECK(stripes(NicStriping::split, 1000, 2) == Parts{512, 488});
  CHECK(stripes(NicStriping::split, 128, 2) == Parts{128, 0});
  CHECK(stripes(NicStriping::split, 1, 4) == Parts{1, 0, 0, 0});
  CHECK(stripes(NicStriping::split, 385, 4) == Parts{128, 128, 128, 1});
  CHECK(stripes(NicStriping::split, 300, 4) == Parts{128, 128, 44, 0});
}

TEST_CASE("stripes of every policy carry each byte of a message once") {
  for (const NicStriping striping : {NicStriping::split, NicStriping::flow})
    for (std::uint32_t count = 1; count <= 9; ++count)
      for (std::int64_t bytes : {1l, 127l, 128l, 129l, 4096l, 1'000'003l, (5l << 32) + 77}) {
        std::int64_t sum = 0;
        for (const std::int64_t part : stripes(striping, bytes, count, 3, 11, 5)) {
          CHECK(part >= 0);
          sum += part;
        }
        CHECK(sum == bytes);
      }
}

TEST_CASE("flow keeps a connection to one NIC, and neighbouring peers and channels take different ones") {
  using Parts = std::vector<std::int64_t>;
  CHECK(stripes(NicStriping::flow, 1000, 2, 4, 8, 0) == Parts{1000, 0});
  CHECK(stripes(NicStriping::flow, 1000, 2, 4, 9, 0) == Parts{0, 1000});
  CHECK(stripes(NicStriping::flow, 1000, 2, 4, 8, 1) == Parts{0, 1000});
}
