#include "engine/model/resources.hpp"

#include <catch2/catch.hpp>
#include <memory>

#include "engine/base/error.hpp"

using namespace lightrail;

namespace {

struct Weather {
  int degrees = 0;
};
struct Tide {
  int metres = 0;
};

}  // namespace

TEST_CASE("a resource is found by its type") {
  Resources all;
  CHECK(all.find<Weather>() == nullptr);
  all.add(std::make_shared<const Weather>(Weather{21}));
  REQUIRE(all.find<Weather>() != nullptr);
  CHECK(all.find<Weather>()->degrees == 21);
  CHECK(all.find<Tide>() == nullptr);
}

TEST_CASE("a resource is never replaced") {
  Resources all, others;
  all.add(std::make_shared<const Weather>(Weather{21}));
  CHECK_THROWS_AS(all.add(std::make_shared<const Weather>(Weather{4})), ContractError);
  others.add(std::make_shared<const Weather>(Weather{4}));
  CHECK_THROWS_AS(all.add(others), ContractError);
  CHECK(all.find<Weather>()->degrees == 21);
}

TEST_CASE("copies share what they hold, and nothing is held for null") {
  Resources first, all;
  first.add(std::make_shared<const Weather>(Weather{21}));
  first.add(std::shared_ptr<const Tide>());
  all.add(first);
  CHECK(all.find<Weather>() == first.find<Weather>());
  CHECK(all.find<Tide>() == nullptr);
}
