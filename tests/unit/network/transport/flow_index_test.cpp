#include <catch2/catch.hpp>
#include <cstdint>
#include <map>

#include "engine/base/hash.hpp"
#include "network/transport/flow_index.hpp"

using namespace lightrail;

TEST_CASE("a flow index answers like a map through thousands of insertions and erasures") {
  FlowIndex index;
  std::map<std::uint64_t, std::uint32_t> truth;
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    std::uint64_t key = mix64(mix64(step) % 300);
    auto it = truth.find(key);
    if (it == truth.end()) {
      index.insert(key, static_cast<std::uint32_t>(step));
      truth[key] = static_cast<std::uint32_t>(step);
    } else {
      REQUIRE(index.find(key) == it->second);
      index.erase(key);
      truth.erase(it);
      REQUIRE(index.find(key) == FlowIndex::none);
    }
  }
  for (const auto& [key, slot] : truth) REQUIRE(index.find(key) == slot);
}

TEST_CASE("the slot of a flow that is new is 0, and may be written to") {
  FlowIndex index;
  for (std::uint64_t key = 1; key <= 1000; ++key) {
    CHECK(index.at(key) == 0);
    index.at(key) = static_cast<std::uint32_t>(7 * key);
  }
  for (std::uint64_t key = 1; key <= 1000; ++key) CHECK(index.find(key) == 7 * key);
  index.erase(5);
  CHECK(index.at(5) == 0);
}

TEST_CASE("an empty flow index finds nothing") {
  CHECK(FlowIndex{}.find(7) == FlowIndex::none);
}

TEST_CASE("erasing a flow that is not there is our bug") {
  FlowIndex index;
  index.insert(1, 1);
  CHECK_THROWS_AS(index.erase(2), ContractError);
}
