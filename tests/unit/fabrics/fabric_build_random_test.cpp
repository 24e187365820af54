#include <catch2/catch.hpp>

#include <cstdint>
#include <random>
#include <string>

#include "tests/unit/fabrics/test_system.hpp"

using namespace lightrail;
using namespace lightrail::test;

// Mathematics: whatever the numbers, a fabric that is accepted has up/down routes from every NIC to every lid
// over every choice of ports, of at most 2 x tiers - 1 switches, and no switch has more ports than its radix.
TEST_CASE("every fabric that is accepted reaches every lid up and then down") {
  std::mt19937 random(20261121);
  const auto pick = [&](std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(random()) % (high - low + 1);
  };
  int accepted = 0;
  for (int round = 0; round < 150; ++round) {
    const int gpus = static_cast<int>(pick(1, 4)), nics = static_cast<int>(pick(1, gpus));
    const std::uint32_t tiers = pick(2, 3), radix = 4 * pick(1, 4);
    const std::string kind = pick(0, 1) ? "rail-optimised" : "fat-tree";
    std::string attributes = "kind=\"" + kind + "\" tiers=\"" + std::to_string(tiers) +
                             "\" oversubscription=\"" + std::to_string(pick(1, 3)) + "\"";
    if (pick(0, 2) == 0)
      attributes += (kind == "fat-tree" ? " nics-per-leaf=\"" : " servers-per-pod=\"") +
                    std::to_string(pick(1, radix / 2)) + "\"";
    const std::string xml =
        cluster(static_cast<int>(pick(2, 40)), gpus, nics) +
        (pick(0, 2) ? "" : cluster(static_cast<int>(pick(1, 3)), 2, static_cast<int>(pick(1, 2)))) +
        fabric(attributes, static_cast<int>(radix));
    INFO(xml);
    if (!problems(xml).empty()) continue;
    ++accepted;
    const Model model = system(xml);
    expect_sound(model);
    CHECK(expect_all_reachable(model, true) <= 2 * tiers - 1);
  }
  CHECK(accepted > 60);
}
