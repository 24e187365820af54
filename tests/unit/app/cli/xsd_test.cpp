#include "app/cli/xsd.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

using namespace lightrail;

TEST_CASE("the schema names every kind and every parameter of it") {
  const Registry registry = built_in_registry();
  const KindRegistry& kinds = registry.components;
  const auto elements = known_elements(registry);
  const std::string text = xsd_text(elements, inner_elements(), element_places(registry));
  for (const auto& kind : kinds.kinds()) {
    const auto it = std::find_if(elements.begin(), elements.end(),
                                 [&](const ElementDoc& e) { return e.name == element_of_kind(kind->name); });
    REQUIRE(it != elements.end());
    CHECK(text.find("<xs:complexType name=\"" + it->name + ".type\"") != std::string::npos);
    for (const ParameterDoc& p : kind->parameters)
      CHECK(std::any_of(it->parameters.begin(), it->parameters.end(),
                        [&](const ParameterDoc& q) { return q.name == p.name; }));
  }
}

TEST_CASE("texts are escaped and choices may be variables") {
  ParameterDoc mode{"mode", "choice", "", "a", "", "a < b & \"c\"", false, {"a", "b"}};
  const std::string text = xsd_text(
      {{"x", {mode}, false, {{"mode", {"k", "l"}}}}, {"include", {}, false, {}}, {"source", {}, false, {}}},
      {}, {});
  CHECK(text.find("a &lt; b &amp; &quot;c&quot;; default a; of kind k, l") != std::string::npos);
  CHECK(text.find("<xs:enumeration value=\"a\"/><xs:enumeration value=\"b\"/>") != std::string::npos);
  CHECK(text.find("<xs:pattern value=\".*[$][{].*\"/>") != std::string::npos);
}

TEST_CASE("an element has the children and attributes of its place") {
  const ParameterDoc out{"out", "text", "", "", "", "", false, {}};
  const ParameterDoc in{"in", "text", "", "", "", "", false, {}};
  const std::string text = xsd_text({{"a", {}, false, {}},
                                     {"b", {}, false, {}},
                                     {"x", {out}, false, {}},
                                     {"include", {}, false, {}},
                                     {"source", {}, false, {}}},
                                    {{"b", {"x", {in}, false, {}}}}, {{"a", {"x"}}, {"b", {"x"}}});
  auto of = [&](const std::string& type) {
    const auto begin = text.find("<xs:complexType name=\"" + type + "\"");
    REQUIRE(begin != std::string::npos);
    return text.substr(begin, text.find("</xs:complexType>", begin) - begin);
  };
  CHECK(of("a.type").find("name=\"x\" type=\"x.type\"") != std::string::npos);
  CHECK(of("b.type").find("name=\"x\" type=\"b.x.type\"") != std::string::npos);
  CHECK(of("x.type").find("name=\"out\"") != std::string::npos);
  CHECK(of("b.x.type").find("name=\"in\"") != std::string::npos);
  CHECK(of("b.x.type").find("name=\"out\"") == std::string::npos);
  CHECK(of("x.type").find("name=\"x\"") == std::string::npos);
}
