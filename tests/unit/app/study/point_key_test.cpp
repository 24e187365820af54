#include "app/study/point_key.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

using namespace lightrail;

namespace {

Element element(const std::string& name, const std::string& attribute, const std::string& value) {
  Element made;
  made.name = name;
  made.attributes = {{attribute, value, "s.xml", 2, false}};
  return made;
}
Scenario scenario_of(const std::vector<Element>& children) {
  Scenario scenario;
  scenario.root.name = "scenario";
  scenario.root.children = children;
  return scenario;
}

}  // namespace

TEST_CASE("a key tells scenarios, options and versions apart") {
  const Scenario two = scenario_of({element("cluster", "servers", "2")});
  const Scenario four = scenario_of({element("cluster", "servers", "4")});
  const RunInputs plain{{}, {}, "1"};
  CHECK(point_key(two, plain).size() == 16);
  CHECK(point_key(two, plain) == point_key(scenario_of({element("cluster", "servers", "2")}), plain));
  CHECK(point_key(two, plain) != point_key(four, plain));
  CHECK(point_key(two, plain) != point_key(two, {{"--seed", "2"}, {}, "1"}));
  CHECK(point_key(two, plain) != point_key(two, {{}, {}, "2"}));
}

TEST_CASE("a key is of what is simulated, not of the other points of its sweep") {
  const Element cluster = element("cluster", "servers", "2");
  Element sweep;
  sweep.name = "sweep";
  sweep.children = {element("vary", "name", "servers")};
  CHECK(point_key(scenario_of({cluster}), {{}, {}, "1"}) ==
        point_key(scenario_of({element("variable", "name", "servers"), cluster, sweep}), {{}, {}, "1"}));
}

TEST_CASE("a key is of the contents of files, not of their names") {
  std::string folder = (std::filesystem::temp_directory_path() / "point_key_test_XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()));
  for (const auto& [name, text] : {std::pair{"a", "one"}, std::pair{"b", "one"}, std::pair{"c", "two"}})
    std::ofstream(folder + "/" + name) << text;
  const Scenario scenario = scenario_of({});
  const auto key = [&](const std::string& name) {
    return point_key(scenario, {{}, {folder + "/" + name}, "1"});
  };
  CHECK(key("a") == key("b"));
  CHECK(key("a") != key("c"));
  std::filesystem::remove_all(folder);
}
