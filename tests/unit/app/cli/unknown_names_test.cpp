#include "app/cli/unknown_names.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace lightrail;

namespace {

Element element(const std::string& name, const std::vector<std::string>& attributes,
                std::vector<Element> children = {}) {
  Element e;
  e.name = name;
  e.file = "s.xml";
  e.line = 1;
  for (const std::string& a : attributes) e.attributes.push_back({a, "1", "s.xml", 2, false});
  e.children = std::move(children);
  return e;
}
std::string unknown(const Element& root) {
  const std::vector<ElementDoc> known{{"scenario", {}, false},
                                      {"switch", {{"radix", "", "", "", "", "", false, {}}}, false},
                                      {"component", {}, true}};
  ErrorList errors;
  report_unknown_names(root, known, errors);
  try {
    errors.throw_if_any();
    return "";
  } catch (const InputErrors& all) {
    return all.what();
  }
}

}  // namespace

TEST_CASE("names that some stage knows are no mistake") {
  CHECK(unknown(element("scenario", {"name"},
                        {element("switch", {"radix", "role"}), element("component", {"rounds"})}))
            .empty());
}

TEST_CASE("names that no stage knows are answered with the one meant") {
  CHECK(unknown(element("scenario", {}, {element("swich", {"radix"}), element("switch", {"radx"})})) ==
        "s.xml:1: unknown element <swich> (did you mean 'switch'?)\n"
        "s.xml:2: <switch> has no attribute 'radx' (did you mean 'radix'?)");
}
