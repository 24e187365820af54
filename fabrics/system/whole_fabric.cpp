#include "fabrics/system/whole_fabric.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "fabrics/system/build_system.hpp"

namespace lightrail {

std::shared_ptr<const WholeFabric> build_whole_fabric(const Scenario& part, std::uint32_t times,
                                                      std::int64_t nics, const KindRegistry& kinds,
                                                      const FabricRegistry& fabrics) {
  auto whole = std::make_shared<WholeFabric>();
  if (nics * times > most_whole_nics) {
    whole->problem = fmt::format("it has {} NICs, more than {}", nics * times, most_whole_nics);
    return whole;
  }
  if (part.root.child("graph")) {
    whole->problem = "a <graph> is what it is";
    return whole;
  }
  Scenario scenario = part;
  for (Element& element : scenario.root.children) {
    if (element.name != "cluster") continue;
    const Attribute* servers = element.find("servers");
    if (servers)
      element.set("servers", std::to_string(std::strtoll(servers->value.c_str(), nullptr, 10) * times));
  }
  ErrorList errors;
  try {
    const Model model = build_system(scenario, kinds, fabrics, errors);
    errors.throw_if_any();
    if (const auto* layouts = model.resource<FabricLayouts>()) whole->layouts = layouts->all;
    if (const auto* cost = model.resource<NetworkCost>()) whole->cost = *cost;
  } catch (const InputErrors& problem) {
    whole->problem = problem.errors().front().what;
  }
  return whole;
}

}  // namespace lightrail
