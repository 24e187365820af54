#include "network/routing/packet_switch_spec.hpp"

#include <fmt/format.h>

namespace lightrail {

void read_routing_and_lanes(const Element& element, const RoutingRegistry& routings, PacketSwitchSpec& spec,
                            ErrorList& errors) {
  read_lane_map(element, spec.lane_table, errors);
  spec.routing = routings.find(spec.routing_name);
  if (spec.routing) {
    if (!spec.routing->tells && element.find("notice-threshold"))
      errors.add(element.error_at(
          "notice-threshold",
          fmt::format("<{}> attribute 'notice-threshold' has no effect with routing '{}' (expected one whose "
                      "switches tell of full ways, such as adaptive-notified)",
                      element.name, spec.routing_name)));
    return;
  }
  const Attribute* name = element.find("routing");
  errors.add(
      {name->file, name->line,
       "<" + element.name + "> attribute 'routing': " + invalid_choice(spec.routing_name, routings.names())});
}

void document_routings(const RoutingRegistry& routings, ComponentKind& kind) {
  for (ParameterDoc& parameter : kind.parameters)
    if (parameter.name == "routing") parameter.type = "choice", parameter.choices = routings.names();
}

}  // namespace lightrail
