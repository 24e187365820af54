#include "engine/model/model.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/error.hpp"

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

TEST_CASE("what a stage has made follows what the model has") {
  struct Weather {
    int degrees = 0;
  };
  Model model;
  model.names = {"gemm"};
  model.parameters = {{"link", 0, {"rate", "400 Gb/s", "bit/s", "default"}}};
  ModelPart part;
  part.names = {"all_reduce"};
  part.dimensions = {"tp"};
  part.parameters = {{"variation", 0, {"jitter", "0.1", "1", "default"}}};
  part.resources.add(std::make_shared<const Weather>(Weather{21}));
  CHECK(model.resource<Weather>() == nullptr);
  model.add(part);
  CHECK(model.names == std::vector<std::string>{"gemm", "all_reduce"});
  CHECK(model.dimensions == std::vector<std::string>{"tp"});
  REQUIRE(model.parameters.size() == 2);
  CHECK(model.parameters[1].element == "variation");
  REQUIRE(model.resource<Weather>() != nullptr);
  CHECK(model.resource<Weather>()->degrees == 21);
  CHECK_THROWS_AS(model.add(part), ContractError);
}
