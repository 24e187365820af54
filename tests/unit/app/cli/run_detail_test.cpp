#include "app/cli/run_detail.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/read_formula.hpp"
#include "fabrics/fabric_detail.hpp"

using namespace lightrail;

namespace {

std::string value_of(const ReadScenario& scenario, const char* element, const char* attribute) {
  const Element* child = scenario.root.child(element);
  const Attribute* found = child ? child->find(attribute) : nullptr;
  return found ? found->value : "none";
}

}  // namespace

TEST_CASE("a detail takes the place of the scenario's, or is added") {
  const ReadScenario empty;
  CHECK_FALSE(asks_for_packets(empty));
  const ReadScenario packets = with_detail(empty, Detail::packets);
  CHECK(value_of(packets, "run", "detail") == "packets");
  CHECK(asks_for_packets(packets));
  const ReadScenario formula = with_detail(packets, Detail::formula);
  CHECK(value_of(formula, "run", "detail") == "formula");
  CHECK(formula.root.children.size() == 1);
  CHECK_FALSE(asks_for_packets(formula));
}

TEST_CASE("what some communication takes by formula is left out by packets, and where all does") {
  ReadScenario scenario;
  Element run, formula;
  run.name = "run", formula.name = "formula";
  run.children.push_back(formula);
  scenario.root.children.push_back(run);
  for (const Detail detail : {Detail::packets, Detail::formula})
    CHECK(with_detail(scenario, detail).root.children[0].children.empty());
  for (const Detail detail : {Detail::trains, Detail::messages})
    CHECK(with_detail(scenario, detail).root.children[0].children.size() == 1);
}

TEST_CASE("what a summary says of the detail names the fabrics by messages where there are others") {
  CHECK(detail_used(Model{}, Detail::packets).name == "packets");
  FabricsByMessages fabrics;
  fabrics.all = {{NicRole::storage, {}}};
  Model model;
  model.add(std::make_shared<const FabricsByMessages>(fabrics));
  CHECK(detail_used(model, Detail::trains).fabrics == std::vector<std::string>{"storage"});
  CHECK(detail_used(model, Detail::messages).fabrics.empty());
  PartialFormula formula;
  formula.texts = {"tp dp"};
  model.add(std::make_shared<const PartialFormula>(formula));
  CHECK(detail_used(model, Detail::trains).formula == std::vector<std::string>{"tp dp"});
}

TEST_CASE("lengths of trains take the place of those of <network>") {
  const ReadScenario once = with_trains(ReadScenario{}, {16, 64});
  CHECK(value_of(once, "network", "grain") == "16");
  CHECK(value_of(once, "network", "nvlink-grain") == "64");
  const ReadScenario twice = with_trains(once, LongestTrains{});
  CHECK(value_of(twice, "network", "grain") == "1");
  CHECK(value_of(twice, "network", "nvlink-grain") == "1");
}

TEST_CASE("a model that asks for no formula runs as it is built") {
  Model model;
  model.names = {"mine"};
  CHECK(model_to_run(model).names.size() == 1);
  model.add(std::make_shared<const RunDetail>(RunDetail{Detail::packets, {}}));
  CHECK(model_to_run(model).names.size() == 1);
}

TEST_CASE("what a formula says nothing about is refused where the scenario asks for it") {
  Model model;
  model.add(std::make_shared<const RunDetail>(RunDetail{Detail::formula, {"a.xml", 7, ""}}));
  try {
    static_cast<void>(model_to_run(model));
    FAIL("it was not refused");
  } catch (const InputErrors& problem) {
    REQUIRE(problem.errors().size() == 1);
    CHECK(to_string(problem.errors()[0]) ==
          "a.xml:7: <run> attribute 'detail': formula says nothing about a scenario without a job");
  }
}
