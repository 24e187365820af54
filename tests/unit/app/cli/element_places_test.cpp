#include "app/cli/element_places.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "app/cli/known_elements.hpp"

using namespace lightrail;

TEST_CASE("every known element has a place, and every place is of a known element") {
  const Registry registry = built_in_registry();
  const Places places = element_places(registry);
  std::set<std::string> known, placed;
  for (const ElementDoc& e : known_elements(registry)) known.insert(e.name);
  for (const auto& [parent, children] : places) {
    CAPTURE(parent);
    CHECK(known.count(parent) == 1);
    for (const std::string& child : children) {
      CAPTURE(child);
      CHECK(known.count(child) == 1);
      CHECK(std::count(children.begin(), children.end(), child) == 1);
      if (parent != "part") placed.insert(child);
    }
  }
  // The roots of files, and what may stand anywhere.
  for (const char* anywhere : {"scenario", "part", "include", "source"}) placed.insert(anywhere);
  CHECK(placed == known);
}

TEST_CASE("elements that mean something else inside another one may stand there") {
  const Places places = element_places(built_in_registry());
  for (const InnerElementDoc& inner : inner_elements()) {
    CAPTURE(inner.parent, inner.element.name);
    const auto& children = places.at(inner.parent);
    CHECK(std::find(children.begin(), children.end(), inner.element.name) != children.end());
  }
}
