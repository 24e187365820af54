#include <catch2/catch.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "components/switch/switch.hpp"
#include "tests/support/network_bed.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

Element element_with(std::vector<Attribute> attributes, std::vector<Element> children = {}) {
  Element e;
  e.name = "switch";
  e.file = "configs/switches/x.xml";
  e.line = 3;
  e.attributes = std::move(attributes);
  e.children = std::move(children);
  return e;
}

Element source(const std::string& parameter, const std::string& kind, const std::string& text) {
  Element e = element_with(
      {{"parameter", parameter, "x.xml", 4}, {"kind", kind, "x.xml", 4}, {"text", text, "x.xml", 4}});
  e.name = "source";
  return e;
}

std::vector<InputError> problems_of(const Element& element) {
  ErrorList errors;
  switch_kind()->make_spec(element, errors);
  try {
    errors.throw_if_any();
  } catch (const InputErrors& e) {
    return e.errors();
  }
  return {};
}

}  // namespace

TEST_CASE("a source that names a parameter of the kind is accepted and read") {
  Element e = element_with({}, {source("buffer", "estimate", "guess")});
  CHECK(problems_of(e).empty());
  CHECK(e.children[0].is_read);
}

TEST_CASE("a source for a parameter that does not exist is an error with a suggestion") {
  auto problems = problems_of(element_with({}, {source("bufer", "estimate", "guess")}));
  REQUIRE(problems.size() == 1);
  CHECK_THAT(problems[0].what, Catch::Contains("bufer") && Catch::Contains("buffer"));
}

TEST_CASE("a source needs a known kind and a text") {
  auto problems = problems_of(element_with({}, {source("buffer", "hearsay", "")}));
  REQUIRE(problems.size() == 2);
  CHECK_THAT(problems[0].what, Catch::Contains("hearsay") && Catch::Contains("datasheet"));
  CHECK_THAT(problems[1].what, Catch::Contains("lacks a text"));
}

TEST_CASE("more links than ports are refused") {
  NetworkBed bed;
  auto spec = std::make_shared<SwitchSpec>();
  spec->ports = 1;
  ComponentId gpu = bed.add_endpoint();
  ComponentId device = bed.add(switch_kind(), spec, "switch");
  bed.connect(gpu, 0, device, 1, bed.link_class(SimTime{1}, BitRate{1}));
  CHECK_THROWS_WITH(bed.run(), Catch::Contains("switch1: 2 ports are connected, the device has 1"));
}

TEST_CASE("a link faster than its port is refused with both rates") {
  NetworkBed bed;
  ComponentId gpu = bed.add_endpoint();
  ComponentId device = bed.add(switch_kind(), std::make_shared<SwitchSpec>(), "switch");
  bed.connect(gpu, 0, device, 0, bed.link_class(SimTime{1}, BitRate{800'000'000'000}));
  CHECK_THROWS_WITH(bed.run(),
                    Catch::Contains("switch1: the link at port 0 runs at 800 Gb/s, the port at 400 Gb/s"));
}
