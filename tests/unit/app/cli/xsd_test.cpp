#include "app/cli/xsd.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

using namespace lightrail;

TEST_CASE("the schema names every kind and every parameter of it") {
  const Registry registry = built_in_registry();
  const KindRegistry& kinds = registry.components;
  const auto elements = known_elements(registry);
  const std::string text = xsd_text(elements);
  for (const auto& kind : kinds.kinds()) {
    const auto it = std::find_if(elements.begin(), elements.end(),
                                 [&](const ElementDoc& e) { return e.name == element_of_kind(kind->name); });
    REQUIRE(it != elements.end());
    CHECK(text.find("<xs:element name=\"" + it->name + "\">") != std::string::npos);
    for (const ParameterDoc& p : kind->parameters)
      CHECK(std::any_of(it->parameters.begin(), it->parameters.end(),
                        [&](const ParameterDoc& q) { return q.name == p.name; }));
  }
}

TEST_CASE("texts are escaped and choices may be variables") {
  ParameterDoc mode{"mode", "choice", "", "a", "", "a < b & \"c\"", false, {"a", "b"}};
  const std::string text = xsd_text({{"x", {mode}, false}});
  CHECK(text.find("a &lt; b &amp; &quot;c&quot;; default a") != std::string::npos);
  CHECK(text.find("<xs:enumeration value=\"a\"/><xs:enumeration value=\"b\"/>") != std::string::npos);
  CHECK(text.find("<xs:pattern value=\".*[$][{].*\"/>") != std::string::npos);
}
