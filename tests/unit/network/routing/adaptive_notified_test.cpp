#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "network/routing/up_down_routings.hpp"
#include "tests/support/told_ports.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

Frame packet(std::uint32_t channel = 0) {
  return as<Frame>(train_payload(MessageKind::train, EndpointId{100}, EndpointId{5},
                                 Connection::make(0, channel, 0), 1000));
}

SwitchRoute spine() {  // four children of 4 lids, a cable to each
  SwitchRoute route;
  route.down = {{0, 16, 4, 0, 1}};
  return route;
}

SwitchRoute leaf() {  // four lids below, ports 8 ... 11 up
  SwitchRoute route;
  route.down = {{0, 4, 1, 0, 1}};
  route.first_up = 8, route.up_count = 4;
  return route;
}

/// Ports that packets of many flows to `lid` take now.
std::set<PortIndex> ports_to(Routing& routing, std::uint32_t lid, const Context& context) {
  std::set<PortIndex> all;
  for (std::uint32_t i = 0; i < 100; ++i) all.insert(routing.choose(Lid{lid}, packet(i), 0, context).port);
  return all;
}

/// 1,000 B at 400 Gb/s.
constexpr SimTime packet_time{20'000};

}  // namespace

TEST_CASE("a switch tells of its only way once more than the threshold lies before it, each port once") {
  int told = 0;
  with_ports(
      [&, routing = std::shared_ptr<Routing>()](EgressBank& egress, Context& context) mutable {
        static const SwitchRoute route = spine();
        if (!routing) routing = made(*adaptive_notified_routing(), route, egress);
        const auto due = [&](PortIndex in) {
          const RouteChoice way = routing->choose(Lid{5}, packet(), in, context);
          CHECK(way.port == 1);
          return routing->due_notice(Lid{5}, packet(), in, way, context);
        };
        if (++told == 1) {
          for (int i = 0; i < 10; ++i) {
            CHECK_FALSE(due(3));
            static_cast<void>(egress.offer(context, 1, packet(), context.now()));
          }
          CHECK_FALSE(due(3));  // as much as the threshold
          for (int i = 0; i < 2; ++i) static_cast<void>(egress.offer(context, 1, packet(), context.now()));
          const std::optional<RouteNotice> notice = due(3);
          REQUIRE(notice);
          CHECK(notice->first_lid == 4);
          CHECK(notice->lids == 4);
          CHECK(nanoseconds(notice->hold_ns) == 2 * packet_time);
          CHECK_FALSE(due(3));
          CHECK(due(2));
          return;
        }
        if (told == 2) {
          CHECK_FALSE(due(3));  // its time is over, but the way is good again
          return;
        }
        for (int i = 0; i < 20; ++i) static_cast<void>(egress.offer(context, 1, packet(), context.now()));
        CHECK(due(3));
      },
      {SimTime{0}, nanoseconds(50), nanoseconds(60)});
  CHECK(told == 3);
}

TEST_CASE("a switch that is told goes other ways for as long, to these lids alone") {
  int told = 0;
  with_ports(
      [&, routing = std::shared_ptr<Routing>()](EgressBank& egress, Context& context) mutable {
        static const SwitchRoute route = leaf();
        const auto kind = adaptive_notified_routing();
        if (!routing) routing = made(*kind, route, egress);
        if (++told == 1) {
          CHECK(ports_to(*routing, 5, context) == std::set<PortIndex>{8, 9, 10, 11});
          routing->on_notice({.first_lid = 4, .lids = 4, .hold_ns = 100}, 9, context.now());
          routing->on_notice({.first_lid = 4, .lids = 4, .hold_ns = 40}, 11, context.now());
          routing->on_notice({.first_lid = 4, .lids = 4, .hold_ns = 30}, 9, context.now());  // not sooner
        }
        const std::set<PortIndex> open = told == 1   ? std::set<PortIndex>{8, 10}
                                         : told == 2 ? std::set<PortIndex>{8, 10, 11}
                                                     : std::set<PortIndex>{8, 9, 10, 11};
        CHECK(ports_to(*routing, 4, context) == open);
        CHECK(ports_to(*routing, 7, context) == open);
        CHECK(ports_to(*routing, 8, context) == std::set<PortIndex>{8, 9, 10, 11});
        CHECK(ports_to(*routing, 2, context) == std::set<PortIndex>{2});
        // And so does one that goes on from its saved state.
        StateWriter out;
        routing->save(out);
        const auto saved = made(*kind, route, egress);
        StateReader in(out.bytes());
        saved->load(in);
        CHECK(ports_to(*saved, 4, context) == open);
      },
      {SimTime{0}, nanoseconds(50), nanoseconds(120)});
  CHECK(told == 3);
}

TEST_CASE("a switch that has been told of all its ways takes them all, and tells the one before") {
  with_ports([&](EgressBank& egress, Context& context) {
    const SwitchRoute route = leaf();
    const auto routing = made(*adaptive_notified_routing(), route, egress);
    for (PortIndex port = 11; port >= 8; --port) {
      const RouteChoice way = routing->choose(Lid{5}, packet(), 0, context);
      CHECK_FALSE(routing->due_notice(Lid{5}, packet(), 0, way, context));
      routing->on_notice({.first_lid = 4, .lids = 4, .hold_ns = 200u + port}, port, context.now());
    }
    CHECK(ports_to(*routing, 5, context) == std::set<PortIndex>{8, 9, 10, 11});
    const RouteChoice way = routing->choose(Lid{5}, packet(), 0, context);
    const auto notice = routing->due_notice(Lid{5}, packet(), 0, way, context);
    REQUIRE(notice);
    CHECK(notice->first_lid == 4);
    CHECK(notice->lids == 4);
    CHECK(notice->hold_ns == 208);  // then the first is good again
  });
}

TEST_CASE("what was told of a pod and of one of its leaves holds side by side") {
  with_ports([&](EgressBank& egress, Context& context) {
    const SwitchRoute route = leaf();
    const auto routing = made(*adaptive_notified_routing(), route, egress);
    routing->on_notice({.first_lid = 16, .lids = 16, .hold_ns = 100}, 8, context.now());
    routing->on_notice({.first_lid = 16, .lids = 4, .hold_ns = 100}, 9, context.now());
    routing->on_notice({.first_lid = 24, .lids = 4, .hold_ns = 100}, 10, context.now());
    CHECK(ports_to(*routing, 16, context) == std::set<PortIndex>{10, 11});
    CHECK(ports_to(*routing, 20, context) == std::set<PortIndex>{9, 10, 11});
    CHECK(ports_to(*routing, 27, context) == std::set<PortIndex>{9, 11});
    CHECK(ports_to(*routing, 31, context) == std::set<PortIndex>{9, 10, 11});
    CHECK(ports_to(*routing, 32, context) == std::set<PortIndex>{8, 9, 10, 11});
  });
}

TEST_CASE("a port that is in trouble itself is no way out of what was told of the others") {
  with_ports([&](EgressBank& egress, Context& context) {
    const SwitchRoute route = leaf();
    const auto routing = made(*adaptive_notified_routing(), route, egress);
    egress.mark_dark(11, context.now() + nanoseconds(1000));
    for (PortIndex port = 8; port < 11; ++port)
      routing->on_notice({.first_lid = 4, .lids = 4, .hold_ns = 100}, port, context.now());
    CHECK(ports_to(*routing, 5, context) == std::set<PortIndex>{8, 9, 10});
  });
}

TEST_CASE("lids are counted from the first child's, and the last child may have fewer") {
  with_ports([&](EgressBank& egress, Context& context) {
    SwitchRoute route;
    route.down = {{5, 12, 4, 0, 1}, {12, 15, 3, 2, 1}};  // 5 to 8, 9 to 11; 12 to 14
    const auto routing = made(*adaptive_notified_routing(), route, egress);
    for (PortIndex port = 0; port < 3; ++port)
      for (int i = 0; i < 12; ++i) static_cast<void>(egress.offer(context, port, packet(), context.now()));
    const auto told = [&](std::uint32_t lid) {
      const RouteChoice way = routing->choose(Lid{lid}, packet(), 3, context);
      const auto notice = routing->due_notice(Lid{lid}, packet(), 3, way, context);
      REQUIRE(notice);
      return std::pair(notice->first_lid, notice->lids);
    };
    CHECK(told(8) == std::pair(5u, 4u));
    CHECK(told(10) == std::pair(9u, 3u));
    CHECK(told(12) == std::pair(12u, 3u));
  });
}

TEST_CASE("a switch does not tell of ways up, of which there are several, whatever lies before them") {
  with_ports([&](EgressBank& egress, Context& context) {
    const SwitchRoute route = leaf();
    const auto routing = made(*adaptive_notified_routing(), route, egress);
    for (PortIndex port = 8; port < 12; ++port)
      for (int i = 0; i < 30; ++i) static_cast<void>(egress.offer(context, port, packet(), context.now()));
    const RouteChoice way = routing->choose(Lid{5}, packet(), 0, context);
    CHECK_FALSE(routing->due_notice(Lid{5}, packet(), 0, way, context));
  });
}

// Twins are one child with the ports of both: each leads to all of its lids.
TEST_CASE("a switch above the twins of dual ToR tells of their NICs once the way by either is full") {
  with_ports([&](EgressBank& egress, Context& context) {
    SwitchRoute route;
    route.down = {{0, 16, 4, 0, 2}};
    const auto routing = made(*adaptive_notified_routing(), route, egress);
    const auto due = [&] {
      const RouteChoice way = routing->choose(Lid{5}, packet(), 9, context);
      return routing->due_notice(Lid{5}, packet(), 9, way, context);
    };
    for (int i = 0; i < 14; ++i) static_cast<void>(egress.offer(context, 2, packet(), context.now()));
    CHECK_FALSE(due());
    for (int i = 0; i < 12; ++i) static_cast<void>(egress.offer(context, 3, packet(), context.now()));
    const auto notice = due();
    REQUIRE(notice);
    CHECK(notice->first_lid == 4);
    CHECK(notice->lids == 4);
    CHECK(nanoseconds(notice->hold_ns) == 2 * packet_time);  // until the better one is good again
  });
}

TEST_CASE("a leaf that has lost a NIC does not tell of its ways up to the twin, of which there are several") {
  with_ports([&](EgressBank& egress, Context& context) {
    SwitchRoute route = leaf();
    route.has_twin = true;
    const auto routing = made(*adaptive_notified_routing(), route, egress);
    for (PortIndex port = 8; port < 12; ++port)
      for (int i = 0; i < 30; ++i) static_cast<void>(egress.offer(context, port, packet(), context.now()));
    CHECK_FALSE(routing->due_notice(Lid{2}, packet(), 9, {8, 0}, context));
  });
}
