#include "engine/model/model.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

TEST_CASE("a component is named by its prefix and number, or by the prefix alone") {
  Model model;
  model.name_prefixes = {"gpu", "spine_a"};
  model.components.resize(2);
  model.components[0].number = 17;
  model.components[1].name_prefix = 1;
  model.components[1].number = ComponentId::none;
  CHECK(model.component_name(ComponentId{0}) == "gpu17");
  CHECK(model.component_name(ComponentId{1}) == "spine_a");
}

TEST_CASE("self links follow the real links") {
  Model model;
  model.links.resize(6);
  CHECK(model.self_link(ComponentId{0}) == LinkId{6});
  CHECK(model.self_link(ComponentId{3}) == LinkId{9});
}

TEST_CASE("a resource is found by its type") {
  struct Weather {
    int degrees = 0;
  };
  Model model;
  CHECK(model.resource<Weather>() == nullptr);
  model.set_resource(std::make_shared<const Weather>(Weather{21}));
  REQUIRE(model.resource<Weather>() != nullptr);
  CHECK(model.resource<Weather>()->degrees == 21);
  CHECK(model.resource<int>() == nullptr);
}
