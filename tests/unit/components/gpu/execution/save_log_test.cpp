#include "components/gpu/execution/save_log.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <optional>

using namespace lightrail;

TEST_CASE("a checkpoint is written when the last of its writes has ended, beside later ones") {
  SaveLog log;
  log.begin(7, 1, 2);
  CHECK(!log.end(7));
  log.begin(9, 1, 2);
  log.begin(7, 3, 2);  // the next one's first write, while the second one of the first goes on
  CHECK(log.end(9) == std::optional<std::uint32_t>(1));
  CHECK(!log.end(7));
  log.begin(9, 3, 2);
  CHECK(log.end(9) == std::optional<std::uint32_t>(3));
}
