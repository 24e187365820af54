#include "network/routing/packet_switch_spec.hpp"

namespace lightrail {

void read_routing_and_lanes(const Element& element, const RoutingRegistry& routings, PacketSwitchSpec& spec,
                            ErrorList& errors) {
  read_lane_map(element, spec.lane_table, errors);
  spec.routing = routings.find(spec.routing_name);
  if (spec.routing) return;
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
