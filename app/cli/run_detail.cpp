#include "app/cli/run_detail.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "app/cli/formula_model.hpp"
#include "app/cli/message_model.hpp"
#include "app/cli/partial_formula_model.hpp"
#include "app/cli/read_formula.hpp"
#include "network/wire/nic_role.hpp"

namespace lightrail {
namespace {

/// The child of that name, added where there is none.
Element& child_of(Element& root, const std::string& name) {
  auto child = std::find_if(root.children.begin(), root.children.end(),
                            [&name](const Element& each) { return each.name == name; });
  if (child != root.children.end()) return *child;
  Element added;
  added.name = name;
  added.file = root.file;
  added.line = root.line;
  return root.children.emplace_back(std::move(added));
}

ReadScenario without_children_of_run(ReadScenario scenario, const char* name) {
  for (Element& run : scenario.root.children)
    if (run.name == "run")
      std::erase_if(run.children, [&](const Element& child) { return child.name == name; });
  return scenario;
}

/// What `make` does; of its mistakes those without a file are at `place`, and begin with `prefix`.
template <class Make>
Model at_place(const InputError& place, const std::string& prefix, Make&& make) {
  try {
    return make();
  } catch (const InputErrors& problem) {
    ErrorList errors;
    for (const InputError& each : problem.errors())
      errors.add(each.file.empty() ? InputError{place.file, place.line, prefix + each.what} : each);
    errors.throw_if_any();
    throw;
  }
}

}  // namespace

const char* name_of(Detail detail) {
  switch (detail) {
    case Detail::trains:
      return "trains";
    case Detail::packets:
      return "packets";
    case Detail::messages:
      return "messages";
    case Detail::formula:
      return "formula";
  }
  return "";
}

DetailUsed detail_used(const Model& built, Detail detail) {
  DetailUsed used{name_of(detail), {}, {}};
  if (const auto* formula = built.resource<PartialFormula>()) used.formula = formula->texts;
  if (const auto* fabrics = built.resource<FabricsByMessages>(); fabrics && has_trains(detail))
    for (const FabricsByMessages::One& fabric : fabrics->all) used.fabrics.emplace_back(name_of(fabric.role));
  return used;
}

LongestTrains longest_trains(const Model& model) {
  LongestTrains trains;
  for (const LinkClass& link : model.link_classes) {
    std::uint32_t& longest = link.medium == "nvlink" ? trains.nvlink : trains.fabric;
    longest = std::max(longest, link.grain);
  }
  return trains;
}

ReadScenario with_trains(ReadScenario scenario, const LongestTrains& trains) {
  Element& network = child_of(scenario.root, "network");
  network.set("grain", std::to_string(trains.fabric));
  network.set("nvlink-grain", std::to_string(trains.nvlink));
  return scenario;
}

ReadScenario without_stretches(ReadScenario scenario) {
  return without_children_of_run(std::move(scenario), "stretch");
}

ReadScenario without_formulas(ReadScenario scenario) {
  return without_children_of_run(std::move(scenario), "formula");
}

ReadScenario with_detail(ReadScenario scenario, Detail detail) {
  if (detail != Detail::trains) scenario = without_stretches(std::move(scenario));
  if (detail == Detail::packets || detail == Detail::formula)
    scenario = without_formulas(std::move(scenario));
  Element& run = child_of(scenario.root, "run");
  run.set("detail", name_of(detail));
  if (detail == Detail::packets)
    for (Element& fabric : scenario.root.children)
      if (fabric.name == "fabric")
        std::erase_if(fabric.attributes, [](const Attribute& each) { return each.name == "detail"; });
  // There is nothing to recall (read_recall.hpp).
  if (!has_trains(detail)) run.set("recall", "none");
  return scenario;
}

bool asks_for_packets(const Scenario& scenario) {
  const Element* run = scenario.root.child("run");
  const Attribute* detail = run ? run->find("detail") : nullptr;
  return detail && detail->value == name_of(Detail::packets);
}

namespace {

Model at_its_detail(Model built) {
  const auto* asked = built.resource<RunDetail>();
  const Detail detail = asked ? asked->detail : Detail::trains;
  const auto* fabrics = built.resource<FabricsByMessages>();
  if (detail == Detail::formula) return at_place(asked->at, "", [&] { return formula_model(built); });
  if (detail == Detail::messages)
    return at_place(asked->at, "<run> attribute 'detail': ", [&] { return message_model(built); });
  if (!fabrics) return built;
  return at_place(fabrics->all.front().at,
                  "<fabric> attribute 'detail': ", [&] { return with_fabrics_by_messages(built, *fabrics); });
}

}  // namespace

Model model_to_run(Model built) {
  const auto* formula = built.resource<PartialFormula>();
  if (!formula) return at_its_detail(std::move(built));
  const InputError at = built.resource<RunDetail>()->at;
  const Model model = at_its_detail(std::move(built));
  return at_place(at, "", [&] { return with_meetings(model, *model.resource<PartialFormula>()); });
}

}  // namespace lightrail
