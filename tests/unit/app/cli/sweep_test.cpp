#include "app/cli/sweep.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace lightrail;

namespace {

Element vary(const std::string& name, const std::string& values) {
  Element element;
  element.name = "vary";
  element.file = "s.xml";
  element.line = 4;
  element.attributes = {{"name", name, "s.xml", 4, false}, {"values", values, "s.xml", 4, false}};
  return element;
}
void add_sweep(Scenario& scenario, std::vector<Element> varied) {
  Element sweep;
  sweep.name = "sweep";
  sweep.children = std::move(varied);
  scenario.root.children.push_back(sweep);
}
Scenario scenario_with(std::vector<Element> varied) {
  Scenario scenario;
  scenario.root.name = "scenario";
  scenario.root.file = "s.xml";
  scenario.root.line = 1;
  add_sweep(scenario, std::move(varied));
  return scenario;
}
using Points = std::vector<std::vector<std::string>>;

}  // namespace

TEST_CASE("a sweep is the product of its variables, the last fastest") {
  CHECK(sweep_points(scenario_with({vary("pxn", "on off"), vary("servers", " 1\n2 ")})) ==
        Points{{"pxn=on", "servers=1"},
               {"pxn=on", "servers=2"},
               {"pxn=off", "servers=1"},
               {"pxn=off", "servers=2"}});
}

TEST_CASE("several sweeps follow each other and may vary different variables") {
  Scenario scenario = scenario_with({vary("servers", "1 2")});
  add_sweep(scenario, {vary("servers", "64"), vary("group", "8 32")});
  CHECK(sweep_points(scenario) ==
        Points{{"servers=1"}, {"servers=2"}, {"servers=64", "group=8"}, {"servers=64", "group=32"}});
}

TEST_CASE("commas part values that hold blanks") {
  CHECK(sweep_points(scenario_with({vary("length", "10 m, 2 km ,5 m,")})) ==
        Points{{"length=10 m"}, {"length=2 km"}, {"length=5 m"}});
}

TEST_CASE("semicolons part values that hold blanks or commas") {
  CHECK(sweep_points(scenario_with({vary("rate", "400 Gb/s; 100 Gb/s")})) ==
        Points{{"rate=400 Gb/s"}, {"rate=100 Gb/s"}});
  CHECK(sweep_points(scenario_with({vary("gpus", "0-7,16; 8;")})) == Points{{"gpus=0-7,16"}, {"gpus=8"}});
}

TEST_CASE("files of a point of a sweep have its number before their extension") {
  CHECK(with_point("a/x.h5", "-3") == "a/x-3.h5");
  CHECK(with_point("x", "-0") == "x-0");
  CHECK(with_point("", "-0").empty());
}

TEST_CASE("a scenario without sweep and one with too many points are refused") {
  Scenario none = scenario_with({});
  none.root.children.clear();
  CHECK_THROWS_WITH(sweep_points(none), "s.xml:1: <scenario> has no <sweep>");
  const std::string many = "0 1 2 3 4 5 6 7 8 9";
  CHECK_THROWS_WITH(sweep_points(scenario_with(std::vector<Element>(6, vary("x", many)))),
                    "s.xml:4: <sweep> has more than 100000 points");
  Scenario two = scenario_with(std::vector<Element>(5, vary("x", many)));
  add_sweep(two, {vary("x", many)});
  CHECK_THROWS_WITH(sweep_points(two), "s.xml:4: <sweep> has more than 100000 points");
}

TEST_CASE("points over values have every one with every other, the last varying fastest") {
  CHECK(points_over({"tp=1,2", "pxn=on,off"}) ==
        Points{{"tp=1", "pxn=on"}, {"tp=1", "pxn=off"}, {"tp=2", "pxn=on"}, {"tp=2", "pxn=off"}});
  CHECK(points_over({"rate=400 Gb/s"}) == Points{{"rate=400 Gb/s"}});
  CHECK(points_over({}) == Points{{}});
  for (const char* wrong : {"tp", "=1", "tp="})
    CHECK_THROWS_WITH(points_over({wrong}),
                      std::string("--over ") + wrong + ": expected NAME=VALUE,VALUE ...");
}
