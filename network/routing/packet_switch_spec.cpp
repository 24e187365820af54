#include "network/routing/packet_switch_spec.hpp"

#include <fmt/format.h>

namespace lightrail {

namespace {

/// What only some routings read.
struct Part {
  const char* attribute;
  bool RoutingKind::*reads;
  const char* expected;
};
constexpr Part parts[] = {
    {"notice-threshold", &RoutingKind::tells,
     "one whose switches tell of full ways, such as adaptive-notified"},
    {"flow-entries", &RoutingKind::remembers,
     "one that remembers flows or destinations, such as adaptive-flow, adaptive or spray"},
    {"flowlet-gap", &RoutingKind::sees_pauses, "one that moves flows when they pause, such as adaptive-flow"},
};

void check_unused(const Element& element, const PacketSwitchSpec& spec, ErrorList& errors) {
  for (const Part& part : parts)
    if (!(spec.routing.get()->*part.reads) && element.find(part.attribute))
      errors.add(element.error_at(
          part.attribute, fmt::format("<{}> attribute '{}' has no effect with routing '{}' (expected {})",
                                      element.name, part.attribute, spec.routing_name, part.expected)));
}

}  // namespace

void read_routing_and_lanes(const Element& element, const RoutingRegistry& routings, PacketSwitchSpec& spec,
                            ErrorList& errors) {
  read_lane_map(element, spec.lane_table, errors);
  spec.routing = routings.find(spec.routing_name);
  if (spec.routing) return check_unused(element, spec, errors);
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
