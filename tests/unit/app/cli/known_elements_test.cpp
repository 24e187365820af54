#include "app/cli/known_elements.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace lightrail;

namespace {

const ElementDoc& of(const std::vector<ElementDoc>& elements, const std::string& name) {
  const auto it =
      std::find_if(elements.begin(), elements.end(), [&](const ElementDoc& e) { return e.name == name; });
  REQUIRE(it != elements.end());
  return *it;
}

bool has(const ElementDoc& element, const std::string& parameter) {
  return std::any_of(element.parameters.begin(), element.parameters.end(),
                     [&](const ParameterDoc& p) { return p.name == parameter; });
}

}  // namespace

TEST_CASE("an element of several places has the parameters of all") {
  const auto elements = known_elements(built_in_registry());
  const ElementDoc& checkpoint = of(elements, "checkpoint");
  for (const InnerElementDoc& inner : inner_elements())
    if (inner.element.name == "checkpoint")
      for (const ParameterDoc& p : inner.element.parameters) CHECK(has(checkpoint, p.name));
  CHECK(has(checkpoint, "restore"));
  CHECK(has(checkpoint, "write-rate"));
}

TEST_CASE("an element is what it is where it stands") {
  const auto elements = known_elements(built_in_registry());
  const auto inner = inner_elements();
  const ElementDoc* of_training = element_in("workload", "checkpoint", elements, inner);
  const ElementDoc* of_goodput = element_in("goodput", "checkpoint", elements, inner);
  REQUIRE(of_training != nullptr);
  REQUIRE(of_goodput != nullptr);
  CHECK((has(*of_training, "restore") && !has(*of_goodput, "restore")));
  CHECK((has(*of_goodput, "write-rate") && !has(*of_training, "write-rate")));
  CHECK(element_in("scenario", "cluster", elements, inner) == &of(elements, "cluster"));
  CHECK(element_in("scenario", "clutter", elements, inner) == nullptr);
}

TEST_CASE("a parameter of some kinds alone says of which") {
  const auto elements = known_elements(built_in_registry());
  const ElementDoc& workload = of(elements, "workload");
  CHECK(workload.kinds.at("schedule") == std::vector<std::string>{"training"});
  CHECK(workload.kinds.count("kind") == 0);
  const auto& tiers = of(elements, "fabric").kinds.at("tiers");
  CHECK(std::count(tiers.begin(), tiers.end(), "fat-tree") == 1);
  CHECK(std::count(tiers.begin(), tiers.end(), "single-switch") == 0);
  CHECK(of(elements, "switch").kinds.empty());
}
