#include "network/routing/routing_registry.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "engine/base/error.hpp"
#include "network/routing/dragonfly.hpp"
#include "network/routing/up_down_routings.hpp"

namespace lightrail {

void RoutingRegistry::add(std::shared_ptr<const RoutingKind> kind) {
  if (find(kind->name)) throw InputErrors(InputError{"", 0, "two routings are called '" + kind->name + "'"});
  kinds_.push_back(std::move(kind));
}

std::shared_ptr<const RoutingKind> RoutingRegistry::find(const std::string& name) const {
  for (const auto& kind : kinds_)
    if (kind->name == name) return kind;
  return nullptr;
}

std::vector<std::string> RoutingRegistry::names() const {
  std::vector<std::string> all;
  for (const auto& kind : kinds_) all.push_back(kind->name);
  return all;
}

std::string RoutingRegistry::documentation() const {
  std::string text;
  for (const auto& kind : kinds_) text += (text.empty() ? "" : "; ") + kind->name + ": " + kind->doc;
  return text;
}

std::string problem_of(const RoutingKind& kind, std::uint32_t lanes, bool has_groups) {
  if (kind.needs_groups && !has_groups)
    return fmt::format("routing '{}' needs a fabric of groups, such as dragonfly-plus", kind.name);
  if (lanes < kind.lane_classes)
    return fmt::format("routing '{}' needs {} virtual lanes to be free of deadlock, the switch has {}",
                       kind.name, kind.lane_classes, lanes);
  return "";
}

RoutingRegistry built_in_routings() {
  RoutingRegistry routings;
  for (const auto& kind : {
           static_routing(),
           ecmp_routing(),
           adaptive_routing(),
           adaptive_flow_routing(),
           spray_routing(),
           adaptive_notified_routing(),
           dragonfly_valiant_routing(),
           dragonfly_adaptive_routing(),
       })
    routings.add(kind);
  return routings;
}

}  // namespace lightrail
