#include "network/routing/routing_kind.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "network/routing/routing_registry.hpp"
#include "tests/support/told_ports.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// Trains of four packets and single ones of some flows to `lid`, from below and from above.
std::vector<Frame> frames_to(std::uint32_t lid) {
  std::vector<Frame> all;
  for (std::uint32_t from = 0; from < 6; ++from)
    for (const std::uint16_t packets : {std::uint16_t{4}, std::uint16_t{1}})
      all.push_back(as<Frame>(train_payload(MessageKind::train, EndpointId{100 + from}, EndpointId{lid},
                                            Connection::make(0, from, 0), 1000u * packets, packets)));
  return all;
}

bool holds(const SwitchRoute::Candidates& ports, PortIndex port) {
  std::uint32_t i = 0;
  while (i < ports.count && ports[i] != port) ++i;
  return i < ports.count;
}

SwitchRoute leaf() {  // two cables to each of 4 children, the other 4 ports up
  SwitchRoute route;
  route.down = {{0, 4, 1, 0, 2}};
  route.first_up = 8, route.up_count = 4;
  return route;
}

SwitchRoute middle() {  // children of 2 lids, and 3 ports up
  SwitchRoute route;
  route.down = {{4, 12, 2, 0, 2}};
  route.first_up = 9, route.up_count = 3;
  return route;
}

SwitchRoute spine() {  // four children of 4 lids, three cables to each
  SwitchRoute route;
  route.down = {{0, 16, 4, 0, 3}};
  return route;
}

SwitchRoute graph() {
  SwitchRoute route;
  for (std::uint32_t lid = 0; lid < 16; ++lid) {
    auto& ports = route.listed.emplace_back();
    for (std::uint32_t i = 0; i <= lid % 5; ++i) ports.push_back(static_cast<PortIndex>((lid + 2 * i) % 12));
  }
  return route;
}

/// In group 0 of three with 4 lids each.
SwitchRoute in_group(bool is_spine) {
  SwitchRoute route;
  GroupRoute groups;
  groups.lids_per_group = 4;
  groups.is_spine = is_spine;
  groups.down_count = 2;
  if (is_spine) groups.down = {0, 1};
  groups.to_group = {
      is_spine ? std::vector<PortIndex>{} : std::vector<PortIndex>{2, 3, 4, 5}, {2, 3}, {4, 5}};
  groups.around_group = {{}, {4, 5}, {2, 3}};
  route.down = {is_spine ? SwitchRoute::Children{0, 4, 2, 0, 1} : SwitchRoute::Children{0, 2, 1, 0, 1}};
  route.groups = std::make_shared<const GroupRoute>(std::move(groups));
  return route;
}

/// Calls check(lid, its ports, those that are likely, the choice) for each frame to each of 16 lids. A frame
/// then leaves by the port that was chosen, so that ports fill up.
template <class Check>
void choose_all(const RoutingKind& kind, const SwitchRoute& route, Check&& check) {
  with_ports([&](EgressBank& egress, Context& context) {
    const auto routing = made(kind, route, egress);
    for (std::uint32_t lid = 0; lid < 16; ++lid) {
      const SwitchRoute::Candidates ports = route.candidates(Lid{lid});
      if (ports.count == 0) continue;
      for (const Frame& frame : frames_to(lid))
        for (const PortIndex in : {PortIndex{0}, PortIndex{11}}) {
          const SwitchRoute::Candidates likely = routing->likely(Lid{lid}, ports);
          const RouteChoice chosen = routing->choose(Lid{lid}, frame, in, context);
          check(lid, ports, likely, chosen);
          REQUIRE(chosen.port < told_ports);
          static_cast<void>(egress.offer(context, chosen.port, frame, context.now()));
        }
    }
  });
}

}  // namespace

TEST_CASE(
    "what a routing calls likely leads there, and it takes one of these ports where links do not fail") {
  const RoutingRegistry routings = built_in_routings();
  int tried = 0;
  for (const std::string& name : routings.names()) {
    const auto kind = routings.find(name);
    if (kind->needs_groups) continue;
    ++tried;
    for (const SwitchRoute& route : {leaf(), middle(), spine(), graph()})
      choose_all(*kind, route,
                 [&](std::uint32_t lid, const SwitchRoute::Candidates& ports,
                     const SwitchRoute::Candidates& likely, const RouteChoice& chosen) {
                   INFO(name << ", lid " << lid << ", chosen " << chosen.port);
                   REQUIRE(likely.count > 0);
                   for (std::uint32_t i = 0; i < likely.count; ++i) CHECK(holds(ports, likely[i]));
                   CHECK(holds(likely, chosen.port));
                 });
  }
  CHECK(tried == 6);
}

TEST_CASE("a routing is asked what is likely where it says more than all ports") {
  CHECK(built_in_routings().find("static")->narrows);
  CHECK_FALSE(built_in_routings().find("adaptive")->narrows);
}

// What a hash of the flow decides the lid alone does not tell.
TEST_CASE("static routing says the one port that it takes") {
  for (const SwitchRoute& route : {leaf(), middle(), spine(), graph()})
    choose_all(*built_in_routings().find("static"), route,
               [](std::uint32_t lid, const SwitchRoute::Candidates&, const SwitchRoute::Candidates& likely,
                  const RouteChoice& chosen) {
                 INFO("lid " << lid);
                 REQUIRE(likely.count == 1);
                 CHECK(likely[0] == chosen.port);
               });
}

TEST_CASE("routings of groups may go around what they call likely, but not inside a group") {
  const RoutingRegistry routings = built_in_routings();
  int tried = 0;
  for (const std::string& name : routings.names()) {
    const auto kind = routings.find(name);
    if (!kind->needs_groups) continue;
    ++tried;
    for (const bool is_spine : {false, true}) {
      const SwitchRoute route = in_group(is_spine);
      const GroupRoute& groups = *route.groups;
      choose_all(*kind, route,
                 [&](std::uint32_t lid, const SwitchRoute::Candidates&, const SwitchRoute::Candidates& likely,
                     const RouteChoice& chosen) {
                   INFO(name << ", spine " << is_spine << ", lid " << lid << ", chosen " << chosen.port);
                   REQUIRE(likely.count > 0);
                   const std::uint32_t target = groups.group_of(Lid{lid});
                   std::vector<PortIndex> around = groups.around_group[target];
                   for (const auto& more : {groups.down, groups.to_group[groups.own]})
                     if (target != groups.own) around.insert(around.end(), more.begin(), more.end());
                   CHECK((holds(likely, chosen.port) ||
                          std::find(around.begin(), around.end(), chosen.port) != around.end()));
                 });
    }
  }
  CHECK(tried == 2);
}
