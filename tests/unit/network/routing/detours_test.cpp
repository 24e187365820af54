#include "network/routing/detours.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "components/switch/switch.hpp"
#include "network/routing/routing_registry.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// Leaves 0 and 1 with two endpoints each (ports 0 and 1) and a port to each of two spines (2 and 3); a spine
/// has leaf l at port l. Lines carry 1,000 B in 1 ns, a hop takes 100 ps.
struct TwoTiers {
  NetworkBed bed;
  std::vector<ComponentId> ends;
  ComponentId leaves[2], spines[2];
  LinkId cables[2][2];      ///< by leaf and spine
  LinkId end_cables[2][2];  ///< by leaf and endpoint

  std::uint16_t packets;  ///< of a train

  explicit TwoTiers(const std::string& routing, SimTime timer = nanoseconds(50), std::uint16_t of_train = 1)
      : packets(of_train) {
    for (std::uint16_t i = 0; i < 4; ++i) ends.push_back(bed.add_endpoint());
    auto spec = std::make_shared<SwitchSpec>();
    spec->routing = built_in_routings().find(routing);
    spec->port_rate = BitRate{8'000'000'000'000};
    spec->lanes = 1;
    spec->retransmit_timeout = timer;
    const auto line = bed.link_class(SimTime{100}, BitRate{8'000'000'000'000}, 1000u / packets, packets);
    for (ComponentId& leaf : leaves) leaf = bed.add(switch_kind(), spec, "leaf");
    for (ComponentId& spine : spines) spine = bed.add(switch_kind(), spec, "spine");
    for (std::uint32_t l = 0; l < 2; ++l) {
      for (std::uint16_t i = 0; i < 2; ++i)
        end_cables[l][i] = bed.connect(ends[2 * l + i], 0, leaves[l], i, line);
      for (std::uint16_t s = 0; s < 2; ++s)
        cables[l][s] =
            bed.connect(leaves[l], static_cast<PortIndex>(2 + s), spines[s], static_cast<PortIndex>(l), line);
      SwitchRoute route;
      route.down = {{2 * l, 2 * l + 2, 1, 0, 1}};
      route.first_up = 2, route.up_count = 2;
      bed.route(leaves[l], route);
    }
    for (const ComponentId spine : spines) {
      SwitchRoute route;
      route.down = {{0, 4, 2, 0, 1}};
      bed.route(spine, route);
    }
  }
  /// The cable between that leaf and spine is down in between; routes are made anew after `reconvergence`.
  void fail(std::uint32_t leaf, std::uint32_t spine, SimTime from, SimTime to, SimTime reconvergence) {
    const LinkId cable = cables[leaf][spine];
    bed.set_health(
        {{SimTime{0}, reconvergence}, {{cable, {{from, to}}}, {LinkId{cable.value ^ 1}, {{from, to}}}}});
  }
  /// Trains of 1,000 B of as many flows, one after the other.
  void send(std::uint32_t from, std::uint32_t to, std::uint32_t trains) {
    for (std::uint32_t i = 0; i < trains; ++i)
      bed.script(ends[from], nanoseconds(i), 0,
                 train_payload(MessageKind::train, EndpointId{from}, EndpointId{to},
                               Connection::make(0, i, 0), 1000, packets));
  }
  std::size_t arrived(std::uint32_t end) { return bed.trains(ends[end]).size(); }
};

const std::vector<std::string> routings{"static", "ecmp", "adaptive", "adaptive-flow", "spray"};

}  // namespace

TEST_CASE("a link that is missing at the far side of a spine is gone round by every routing") {
  for (const std::string& routing : routings)
    for (const std::uint32_t spine : {0u, 1u}) {
      INFO(routing << ", spine " << spine);
      TwoTiers net(routing);
      net.fail(1, spine, SimTime{0}, time_never, SimTime{0});
      for (const std::uint32_t to : {2u, 3u}) net.send(to - 2, to, 20);
      net.bed.run();
      CHECK(net.arrived(2) == 20);
      CHECK(net.arrived(3) == 20);
      CHECK(net.bed.waits().empty());
      // 20 trains of each of two over one line of 1 ns a train, four hops of 100 ps, stored nowhere.
      CHECK(net.bed.end() < nanoseconds(45));
    }
}

TEST_CASE("what has gone up before the routes are new turns round at the spine, each train once") {
  // The cable fails while 40 ns of trains are on their way; routes are new at 120 ns, timers end each 50 ns.
  for (const std::string& routing : routings) {
    INFO(routing);
    const auto ends = [&](SimTime save_at) {
      TwoTiers net(routing);
      net.fail(1, 0, nanoseconds(5), time_never, nanoseconds(115));
      for (const std::uint32_t to : {2u, 3u}) net.send(to - 2, to, 40);
      net.bed.run(save_at);
      CHECK(net.arrived(2) == 40);
      CHECK(net.arrived(3) == 40);
      CHECK(net.bed.waits().empty());
      return net.bed.end();
    };
    const SimTime end = ends(time_never);
    // The third timer of what was cut off first, or a later one.
    CHECK(end > nanoseconds(150));
    CHECK(end < nanoseconds(300));
    for (const std::int64_t save_at : {20, 100, 130, 160}) CHECK(ends(nanoseconds(save_at)) == end);
  }
}

TEST_CASE("what a switch held when it failed goes on from a neighbour when its timer ends, each train once") {
  const auto packets = GENERATE(std::uint16_t{1}, std::uint16_t{4});
  for (const std::string& routing : routings) {
    INFO(routing << ", trains of " << packets);
    const auto ends = [&](SimTime save_at) {
      TwoTiers net(routing, nanoseconds(50), packets);
      HealthTable::Outages outages;
      for (auto& of_leaf : net.cables)
        for (const LinkId link : {of_leaf[0], LinkId{of_leaf[0].value ^ 1}})
          outages[link] = {{nanoseconds(5), time_never}};
      net.bed.set_health({{SimTime{0}, nanoseconds(115)}, outages});
      for (const std::uint32_t to : {2u, 3u}) net.send(to - 2, to, 40);
      net.bed.run(save_at);
      CHECK(net.arrived(2) == 40);
      CHECK(net.arrived(3) == 40);
      CHECK(net.bed.waits().empty());
      return net.bed.end();
    };
    const SimTime end = ends(time_never);
    CHECK(end > nanoseconds(55));
    CHECK(end < nanoseconds(300));
    for (const std::int64_t save_at : {6, 30, 60, 130}) CHECK(ends(nanoseconds(save_at)) == end);
  }
}

TEST_CASE("where nobody leads, the ports stay what they are") {
  TwoTiers net("ecmp");
  const LinkId cable = net.cables[1][0], other = net.cables[1][1];
  const HealthTable health{{SimTime{0}, SimTime{0}},
                           {{cable, {{nanoseconds(10), time_never}}},
                            {LinkId{cable.value ^ 1}, {{nanoseconds(10), time_never}}},
                            {other, {{nanoseconds(20), nanoseconds(30)}}},
                            {LinkId{other.value ^ 1}, {{nanoseconds(20), nanoseconds(30)}}}}};
  net.bed.set_health(health);
  const Model& model = net.bed.finish_model();
  const auto* tables = model.resource<RoutingTables>();
  const auto detours = [&](ComponentId id) {
    return Detours({id, model.components[id.value], *model.specs[0], model}, tables->of(id), health);
  };
  Detours leaf = detours(net.leaves[0]), spine = detours(net.spines[0]);
  const auto ports = [&](SimTime now, std::uint32_t lid) {
    const SwitchRoute::Candidates all = leaf.candidates(Lid{lid}, now);
    std::vector<PortIndex> found;
    for (std::uint32_t i = 0; i < all.count; ++i) found.push_back(all[i]);
    return found;
  };
  using Ports = std::vector<PortIndex>;
  CHECK(ports(SimTime{0}, 2) == Ports{2, 3});
  CHECK(ports(nanoseconds(10), 2) == Ports{3});
  CHECK(ports(nanoseconds(10), 1) == Ports{1});
  CHECK(ports(nanoseconds(25), 2) == Ports{2, 3});  // leaf 1 is cut off
  CHECK(ports(nanoseconds(30), 3) == Ports{3});
  // The spine itself: nothing but its dead port leads to leaf 1, so back to leaf 0, which has a way from 30
  // on.
  CHECK(spine.or_back(1, Lid{2}, SimTime{0}) == 1);
  CHECK(spine.or_back(1, Lid{2}, nanoseconds(10)) == 0);
  CHECK(spine.or_back(1, Lid{2}, nanoseconds(25)) == 1);
  CHECK(spine.or_back(0, Lid{1}, nanoseconds(10)) == 0);
  CHECK_FALSE(spine.is_dead(nanoseconds(10)));
}

TEST_CASE("a dead switch's heir is a neighbour that has a way, and nobody where it has none") {
  TwoTiers net("ecmp");
  HealthTable::Outages outages;  // leaf 1
  for (const LinkId cable : net.cables[1])
    for (const LinkId link : {cable, LinkId{cable.value ^ 1}})
      outages[link] = {{nanoseconds(10), time_never}};
  for (const LinkId cable : net.end_cables[1])
    for (const LinkId link : {cable, LinkId{cable.value ^ 1}})
      outages[link] = {{nanoseconds(10), time_never}};
  const HealthTable health{{SimTime{0}, SimTime{0}}, outages};
  net.bed.set_health(health);
  const Model& model = net.bed.finish_model();
  const ComponentId id = net.leaves[1];
  const Detours leaf({id, model.components[id.value], *model.specs[0], model},
                     model.resource<RoutingTables>()->of(id), health);
  CHECK_FALSE(leaf.is_dead(nanoseconds(9)));
  CHECK(leaf.is_dead(nanoseconds(10)));
  CHECK(leaf.heir(Lid{0}, nanoseconds(10)) == PortIndex{2});
  CHECK(leaf.heir(Lid{1}, nanoseconds(10)) == PortIndex{2});
  CHECK(leaf.heir(Lid{2}, nanoseconds(10)) == std::nullopt);
}

namespace {

/// Endpoints 0 and 1, endpoint i at port i of both leaves, by its own ports 0 and 1; a spine above each port
/// 2 and 3 of both.
struct Twins {
  NetworkBed bed;
  ComponentId ends[2], leaves[2], spines[2];
  LinkId cables[2][2];  ///< by leaf and endpoint

  explicit Twins(const std::string& routing) {
    for (ComponentId& end : ends) end = bed.add_endpoint();
    auto spec = std::make_shared<SwitchSpec>();
    spec->routing = built_in_routings().find(routing);
    spec->port_rate = BitRate{8'000'000'000'000};
    spec->lanes = 1;
    spec->retransmit_timeout = nanoseconds(50);
    const auto line = bed.link_class(SimTime{100}, BitRate{8'000'000'000'000}, 1000, 1);
    for (ComponentId& leaf : leaves) leaf = bed.add(switch_kind(), spec, "leaf");
    for (ComponentId& spine : spines) spine = bed.add(switch_kind(), spec, "spine");
    for (std::uint16_t l = 0; l < 2; ++l) {
      for (std::uint16_t i = 0; i < 2; ++i) cables[l][i] = bed.connect(ends[i], l, leaves[l], i, line);
      for (std::uint16_t s = 0; s < 2; ++s)
        bed.connect(leaves[l], static_cast<PortIndex>(2 + s), spines[s], l, line);
      SwitchRoute route;
      route.down = {{0, 2, 1, 0, 1}};
      route.first_up = 2, route.up_count = 2, route.has_twin = true;
      bed.route(leaves[l], route);
    }
    for (const ComponentId spine : spines) {
      SwitchRoute route;
      route.down = {{0, 2, 2, 0, 2}};  // one child: both leaves
      bed.route(spine, route);
    }
  }
  void fail(std::uint32_t leaf, std::uint32_t end, SimTime from, SimTime to, SimTime reconvergence) {
    const LinkId cable = cables[leaf][end];
    bed.set_health(
        {{SimTime{0}, reconvergence}, {{cable, {{from, to}}}, {LinkId{cable.value ^ 1}, {{from, to}}}}});
  }
  void send(std::uint32_t trains) {
    for (std::uint32_t i = 0; i < trains; ++i)
      bed.script(ends[0], nanoseconds(i), 0,
                 train_payload(MessageKind::train, EndpointId{0}, EndpointId{1}, Connection::make(0, i, 0),
                               1000, 1));
  }
  [[nodiscard]] std::size_t arrived(PortIndex port) const {
    std::size_t count = 0;
    for (const Arrival& arrival : bed.trains(ends[1])) count += arrival.port == port ? 1 : 0;
    return count;
  }
};

}  // namespace

TEST_CASE("what a leaf has for a NIC that it has lost goes up and down to the leaf that has its other port") {
  for (const std::string& routing : routings) {
    INFO(routing);
    Twins whole(routing);
    whole.send(20);
    whole.bed.run();
    CHECK(whole.arrived(0) == 20);  // the leaf that they came to
    Twins net(routing);
    net.fail(0, 1, SimTime{0}, time_never, SimTime{0});
    net.send(20);
    net.bed.run();
    CHECK(net.arrived(0) == 0);
    CHECK(net.arrived(1) == 20);
    CHECK(net.bed.end() < nanoseconds(25));
  }
}

TEST_CASE(
    "before the routes are new it waits for its timer and then goes by the other leaf, each train once") {
  for (const std::string& routing : routings) {
    INFO(routing);
    Twins net(routing);
    net.fail(0, 1, nanoseconds(5), nanoseconds(400), nanoseconds(115));
    net.send(40);
    net.bed.run();
    CHECK(net.arrived(0) + net.arrived(1) == 40);
    CHECK(net.arrived(1) > 30);
    CHECK(net.bed.end() < nanoseconds(300));
  }
}
