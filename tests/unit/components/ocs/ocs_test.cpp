#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "components/ocs/ocs.hpp"
#include "components/ocs/tables.hpp"
#include "components/switch/switch.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

Reconfiguration change(SimTime at, const std::string& circuits, std::uint32_t ports = 8) {
  Reconfiguration r{at, {}};
  REQUIRE(CircuitTable::parse(circuits, ports, r.table) == "");
  return r;
}

/// Three probes on ports 0, 1, 2 of an optical switch.
struct Star {
  NetworkBed bed;
  std::vector<ComponentId> probes;
  std::shared_ptr<OcsSpec> spec = std::make_shared<OcsSpec>();
  explicit Star(const std::string& circuits) {
    REQUIRE(CircuitTable::parse(circuits, 8, spec->first) == "");
    spec->dark_time = microseconds(10);
    auto fibre = bed.link_class(nanoseconds(100), BitRate{400'000'000'000});
    for (int i = 0; i < 3; ++i) probes.push_back(bed.add_endpoint());
    ComponentId ocs = bed.add(ocs_kind(), spec, "ocs");
    for (std::uint16_t i = 0; i < 3; ++i) bed.connect(probes[i], 0, ocs, i, fibre);
    bed.record(seconds(1));
  }
  static SimTime seconds(int n) { return milliseconds(1000 * n); }
  void send(SimTime at, std::uint32_t from = 0) {
    bed.script(probes[from], at, 0,
               train_payload(MessageKind::train, EndpointId{from}, EndpointId{1}, {}, 4096, 1));
  }
};

}  // namespace

TEST_CASE("light leaves where its circuit leads, without delay in the switch") {
  Star star("0-2");
  star.send(SimTime{0});
  star.bed.run();
  REQUIRE(star.bed.trains(star.probes[2]).size() == 1);
  CHECK(star.bed.trains(star.probes[2])[0].time == nanoseconds(200));
  CHECK(star.bed.trains(star.probes[1]).empty());
  CHECK(star.bed.waits().empty());
}

TEST_CASE("trains that meet darkness are lost, counted and come back to their sender") {
  Star star("0-1");
  star.spec->schedule = {change(microseconds(5), "0-2")};
  star.send(microseconds(5) - nanoseconds(100) - SimTime{1});   // the last one by the old circuit
  star.send(microseconds(5) - nanoseconds(100));                // dark
  star.send(microseconds(15) - nanoseconds(100) - SimTime{1});  // dark to the last picosecond
  star.send(microseconds(15) - nanoseconds(100));               // by the new circuit
  star.send(microseconds(20), 1);                               // joined to nothing
  star.bed.run();
  CHECK(star.bed.trains(star.probes[1]).size() == 1);
  CHECK(star.bed.trains(star.probes[2]).size() == 1);
  CHECK(star.bed.trains(star.probes[0], MessageKind::lost_train).size() == 2);
  CHECK(star.bed.trains(star.probes[1], MessageKind::lost_train).size() == 1);
  CHECK(star.bed.waits().empty());
  std::vector<std::vector<std::int64_t>> rows;
  for (const Row& row : star.bed.rows(tables::ocs)) rows.push_back(row.values);
  std::int64_t us = 1'000'000;
  CHECK((rows == std::vector<std::vector<std::int64_t>>{{0, 1, 0, 5 * us, 4096, 0},
                                                        {1, 0, 0, 5 * us, 0, 0},
                                                        {0, 2, 15 * us, -1, 4096, 8192},
                                                        {1, -1, 5 * us, -1, 0, 4096},
                                                        {2, 0, 15 * us, -1, 0, 0}}));
}

TEST_CASE("a circuit that stays the same stays lit") {
  Star star("0-1");
  star.spec->schedule = {change(microseconds(5), "0-1 2-3")};
  star.send(microseconds(6));
  star.bed.run();
  CHECK(star.bed.trains(star.probes[1]).size() == 1);
  CHECK(star.bed.waits().empty());
}

TEST_CASE("a schedule that lies behind the traffic does not prolong the run") {
  Star star("0-1");
  star.spec->schedule = {change(Star::seconds(100), "0-2")};
  star.send(SimTime{0});
  star.bed.run();
  CHECK(star.bed.end() == nanoseconds(200));
}

namespace {

/// Probe i - switch i - port i of an optical switch; trains go to the endpoint at the far end of the circuit.
struct Switched {
  NetworkBed bed;
  std::vector<ComponentId> probes, switches;
  std::shared_ptr<OcsSpec> spec = std::make_shared<OcsSpec>();

  explicit Switched(const std::vector<std::int64_t>& buffers) {
    spec->dark_time = nanoseconds(500);
    auto fibre = bed.link_class(nanoseconds(50), BitRate{400'000'000'000}, 4096, 1);
    for (std::size_t i = 0; i < buffers.size(); ++i) probes.push_back(bed.add_endpoint());
    ComponentId ocs = bed.add(ocs_kind(), spec, "ocs");
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      auto device = std::make_shared<SwitchSpec>();
      device->buffer = Bytes{buffers[i]};
      switches.push_back(bed.add(switch_kind(), device, "switch"));
      bed.connect(probes[i], 0, switches[i], 0, fibre);
      bed.connect(switches[i], 1, ocs, static_cast<PortIndex>(i), fibre);
      SwitchRoute route;
      for (std::size_t k = 0; k < buffers.size(); ++k)
        route.listed.push_back({static_cast<PortIndex>(k == i ? 0 : 1)});
      bed.route(switches[i], route);
    }
  }
};

}  // namespace

TEST_CASE("credits keep their count through reconfigurations under load") {
  Switched net({16'384, 16'384, 12'288});
  REQUIRE(CircuitTable::parse("0-1", 3, net.spec->first) == "");
  for (int i = 1; i <= 40; ++i)
    net.spec->schedule.push_back(change(microseconds(3 * i), i % 2 ? "0-2" : "0-1", 3));
  // 1,500 trains at line rate; while the destination is behind the other circuit the wrong switch sends them
  // on: it has no way, so every train goes to whoever is joined to 0 now.
  auto& tables = *const_cast<RoutingTables*>(net.bed.finish_model().resource<RoutingTables>());
  for (std::size_t i : {1, 2})
    for (auto& ports : tables.routes[i].listed) ports = {0};
  for (int i = 0; i < 1500; ++i)
    net.bed.script(net.probes[0], SimTime{81'920 * i}, 0,
                   train_payload(MessageKind::train, EndpointId{0}, EndpointId{1}, {}, 4096, 1));
  net.bed.run();  // a credit too many breaks a contract, one too few leaves trains waiting
  CHECK(net.bed.trains(net.probes[1]).size() + net.bed.trains(net.probes[2]).size() == 1500);
  CHECK(net.bed.end() > microseconds(67'108));  // some were sent again
  CHECK(net.bed.waits().empty());
}

TEST_CASE("behind an optical switch a sender counts with the smallest buffer around it") {
  Switched net({65'536, 65'536, 8'192});
  REQUIRE(CircuitTable::parse("0-1", 3, net.spec->first) == "");
  for (int i = 0; i < 20; ++i)
    net.bed.script(net.probes[0], SimTime{0}, 0,
                   train_payload(MessageKind::train, EndpointId{0}, EndpointId{1}, {}, 4096, 1));
  net.bed.run();
  auto got = net.bed.trains(net.probes[1]);
  REQUIRE(got.size() == 20);
  // Two trains a round: 100 ns to the far switch, out of its buffer 81.92 ns later, 100 ns back.
  CHECK(got[2].time - got[0].time == nanoseconds(200) + SimTime{81'920});
}

TEST_CASE("an optical switch between devices with and without credits is refused") {
  NetworkBed bed;
  auto spec = std::make_shared<OcsSpec>();
  ComponentId gpu = bed.add_endpoint();
  ComponentId ocs = bed.add(ocs_kind(), spec, "ocs");
  ComponentId device = bed.add(switch_kind(), std::make_shared<SwitchSpec>(), "switch");
  auto fibre = bed.link_class(nanoseconds(50), BitRate{400'000'000'000}, 4096, 1);
  bed.connect(gpu, 0, ocs, 0, fibre);
  bed.connect(device, 0, ocs, 1, fibre);
  CHECK_THROWS_WITH(bed.run(),
                    Catch::Contains("ocs1: devices of different flow control share one optical switch"));
}

TEST_CASE("an optical switch saved in the middle and loaded goes on as if nothing had happened") {
  std::vector<SimTime> times[2];
  for (int k = 0; k < 2; ++k) {
    Switched net({16'384, 16'384, 16'384});
    REQUIRE(CircuitTable::parse("0-1", 3, net.spec->first) == "");
    net.spec->schedule = {change(microseconds(3), "0-2 ", 3), change(microseconds(6), "0-1", 3)};
    for (int i = 0; i < 100; ++i)
      net.bed.script(net.probes[0], SimTime{81'920 * i}, 0,
                     train_payload(MessageKind::train, EndpointId{0}, EndpointId{1}, {}, 4096, 1));
    auto& tables = *const_cast<RoutingTables*>(net.bed.finish_model().resource<RoutingTables>());
    tables.routes[2].listed[1] = {0};
    net.bed.run(k == 0 ? time_never : microseconds(4));
    for (std::uint32_t p : {1u, 2u})
      for (const Arrival& a : net.bed.trains(net.probes[p])) times[k].push_back(a.time);
  }
  CHECK(!times[0].empty());
  CHECK(times[0] == times[1]);
}
