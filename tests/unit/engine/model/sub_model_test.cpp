#include "engine/model/sub_model.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

using namespace lightrail;

namespace {

/// A chain of components, one an atom: port 1 of each is joined to port 0 of the next.
Model chain(std::uint32_t length) {
  Model model;
  model.atom_count = length;
  model.ports.resize(2 * length);
  for (std::uint32_t i = 0; i < length; ++i) {
    ComponentRecord record;
    record.first_port = 2 * i;
    record.port_count = 2;
    record.atom = AtomId{i};
    record.number = i;
    model.components.push_back(record);
  }
  for (std::uint32_t i = 0; i + 1 < length; ++i) {
    model.ports[2 * i + 1].out = LinkId{2 * i};
    model.ports[2 * i + 2].out = LinkId{2 * i + 1};
    model.links.push_back({ComponentId{i}, ComponentId{i + 1}, 1, 0, 0});
    model.links.push_back({ComponentId{i + 1}, ComponentId{i}, 0, 1, 0});
  }
  return model;
}

}  // namespace

TEST_CASE("what is kept of a model keeps its ports and the links among itself, by new numbers") {
  const Model whole = chain(5);
  const SubModel part = sub_model(whole, {{false, 0}, {true, 0}, {true, 3}, {false, 0}, {true, 0}});
  REQUIRE(part.model.components.size() == 3);
  CHECK(part.component == std::vector<ComponentId>{ComponentId{}, ComponentId{0}, ComponentId{1},
                                                   ComponentId{}, ComponentId{2}});
  CHECK(part.model.atom_count == 3);
  CHECK(part.model.components[1].number == 2);
  CHECK(part.model.components[1].atom == AtomId{1});
  CHECK(part.model.components[1].port_count == 5);
  REQUIRE(part.model.ports.size() == 2 + 5 + 2);
  REQUIRE(part.model.links.size() == 2);  // of 1 and 2 alone
  CHECK(part.model.links[0].from == ComponentId{0});
  CHECK(part.model.links[0].to == ComponentId{1});
  CHECK(part.model.ports[1].out == LinkId{0});
  CHECK(part.model.ports[2].out == LinkId{1});
  for (const std::uint32_t port : {0, 3, 4, 5, 6, 7, 8}) CHECK_FALSE(part.model.ports[port].out.is_valid());
}

TEST_CASE("a model of which all is kept stays as it is") {
  const Model whole = chain(4);
  const SubModel part = sub_model(whole, std::vector<Kept>(4, {true, 0}));
  REQUIRE(part.model.links.size() == whole.links.size());
  for (std::size_t i = 0; i < whole.links.size(); ++i) {
    CHECK(part.model.links[i].from == whole.links[i].from);
    CHECK(part.model.links[i].to_port == whole.links[i].to_port);
  }
  for (std::size_t i = 0; i < whole.ports.size(); ++i) CHECK(part.model.ports[i].out == whole.ports[i].out);
}
