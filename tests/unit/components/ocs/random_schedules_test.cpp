#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "components/switch/switch.hpp"
#include "tests/support/wire_messages.hpp"
#include "tests/unit/components/ocs/ocs_star.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// A random partial one-to-one map without fixed points, as the text of a schedule.
std::string random_circuits(std::minstd_rand& random, std::uint32_t ports) {
  std::vector<std::uint32_t> out(ports);
  for (std::uint32_t i = 0; i < ports; ++i) out[i] = i;
  std::shuffle(out.begin(), out.end(), random);
  std::string text;
  for (std::uint32_t i = 0; i < ports; ++i)
    if (out[i] != i && random() % 4) text += std::to_string(i) + ">" + std::to_string(out[i]) + " ";
  return text;
}

}  // namespace

TEST_CASE("over random schedules every train arrives where the circuits lead or comes back, and none twice") {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    std::minstd_rand random(seed);
    const auto ports = static_cast<std::uint32_t>(3 + random() % 6);
    const std::string first = random_circuits(random, ports);
    OcsStar star(ports, first);
    CircuitTable table;
    REQUIRE(CircuitTable::parse(first, ports, table) == "");
    // The oracle: from when on each port leads where, with light from when on.
    struct Lit {
      SimTime at, lit;
      PortIndex out;
    };
    std::vector<std::vector<Lit>> state(ports);
    for (std::uint32_t i = 0; i < ports; ++i)
      state[i].push_back({SimTime{0}, SimTime{0}, table.out(static_cast<PortIndex>(i))});
    SimTime at{0};
    for (int k = 0; k < 12; ++k) {
      at += nanoseconds(1 + static_cast<std::int64_t>(random() % 30'000));
      star.spec->schedule.push_back(star.change(at, random_circuits(random, ports)));
      for (std::uint32_t i = 0; i < ports; ++i) {
        const PortIndex out = star.spec->schedule.back().table.out(static_cast<PortIndex>(i));
        if (out != state[i].back().out) state[i].push_back({at, at + star.spec->dark_time, out});
      }
    }
    std::vector<std::vector<std::pair<SimTime, std::uint32_t>>> expected(ports);  // arrival, sender
    std::vector<std::size_t> lost(ports, 0);
    for (std::uint32_t from = 0; from < ports; ++from)
      for (SimTime send{0}; send < at + microseconds(20);
           send += nanoseconds(100 + static_cast<std::int64_t>(random() % 900))) {
        star.bed.script(star.probes[from], send, 0,
                        train_payload(MessageKind::train, EndpointId{from}, EndpointId{0}, {}, 4096, 1));
        const SimTime here = send + nanoseconds(100);
        Lit now = state[from][0];
        for (const Lit& s : state[from])
          if (s.at <= here) now = s;
        if (now.out == CircuitTable::dark || here < now.lit)
          ++lost[from];
        else
          expected[now.out].emplace_back(here + nanoseconds(100), from);
      }
    star.bed.run();
    for (std::uint32_t p = 0; p < ports; ++p) {
      std::vector<std::pair<SimTime, std::uint32_t>> got;
      for (const Arrival& a : star.bed.trains(star.probes[p]))
        got.emplace_back(a.time, frame_in(a.payload).address.from().value);
      std::sort(got.begin(), got.end());
      std::sort(expected[p].begin(), expected[p].end());
      INFO("seed " << seed << " port " << p);
      CHECK(got == expected[p]);
      CHECK(star.bed.trains(star.probes[p], MessageKind::lost_train).size() == lost[p]);
    }
  }
}

TEST_CASE("over random schedules, faults and weak light every byte that is sent is delivered once") {
  for (std::uint32_t seed = 1; seed <= 25; ++seed) {
    std::minstd_rand random(seed);
    const auto ports = static_cast<std::uint32_t>(3 + random() % 4);
    NetworkBed bed;
    auto spec = std::make_shared<OcsSpec>();
    spec->ports = ports;
    spec->dark_time = nanoseconds(500 + static_cast<std::int64_t>(random() % 5000));
    spec->serial = random() % 2;
    spec->dark = random() % 2 ? DarkScope::all : DarkScope::changed;
    auto fibre = bed.link_class(nanoseconds(50 + static_cast<std::int64_t>(random() % 500)),
                                BitRate{400'000'000'000}, 4096, 1);
    auto& light = bed.link_class_at(fibre).light;
    light.codeword_bytes = 640;
    light.level_dbm = -1, light.needed_dbm = -2.5;  // 0.5 dB short
    light.has_replay = random() % 2;
    light.retraining = nanoseconds(static_cast<std::int64_t>(random() % 2000));
    std::vector<ComponentId> probes;
    for (std::uint32_t i = 0; i < ports; ++i) probes.push_back(bed.add_endpoint());
    const ComponentId ocs = bed.add(ocs_kind(), spec, "ocs");
    auto copper = bed.link_class(nanoseconds(50), BitRate{400'000'000'000}, 4096, 1);
    for (std::uint32_t i = 0; i < ports; ++i) {
      auto device = std::make_shared<SwitchSpec>();
      device->buffer = Bytes{16'384};
      device->retransmit_timeout = microseconds(60);
      const ComponentId id = bed.add(switch_kind(), device, "switch");
      bed.connect(probes[i], 0, id, 0, copper);
      bed.connect(id, 1, ocs, static_cast<PortIndex>(i), fibre);
      // What a probe sends is for the next endpoint and goes out; what comes in for anybody goes to the
      // probe.
      SwitchRoute route;
      for (std::uint32_t k = 0; k < ports; ++k)
        route.listed.push_back({static_cast<PortIndex>(k == (i + 1) % ports ? 1 : 0)});
      bed.route(id, route);
    }
    // Every circuit leads from i to i + 1 in every other reconfiguration and in the last one.
    std::string ring;
    for (std::uint32_t i = 0; i < ports; ++i)
      ring += std::to_string(i) + ">" + std::to_string((i + 1) % ports) + " ";
    REQUIRE(CircuitTable::parse(ring, ports, spec->first) == "");
    SimTime at{0};
    for (int k = 0; k < 10; ++k) {
      at += nanoseconds(3000 + static_cast<std::int64_t>(random() % 20'000));
      Reconfiguration r{at, {}};
      REQUIRE(CircuitTable::parse(k % 2 ? ring : "", ports, r.table) == "");
      spec->schedule.push_back(r);
    }
    if (random() % 2) {
      const auto port = static_cast<std::uint32_t>(random() % ports);
      spec->faults = {{microseconds(5), port, PortState::failed}, {microseconds(9), port, PortState::works}};
    }
    std::vector<std::vector<std::uint32_t>> sent(
        ports);  // trains of random sizes: none may stand for another
    for (std::uint32_t i = 0; i < ports; ++i)
      for (int k = 0; k < 400; ++k) {
        const auto bytes = static_cast<std::uint32_t>(1 + random() % 4096);
        bed.script(
            probes[i], nanoseconds(300 * k), 0,
            train_payload(MessageKind::train, EndpointId{i}, EndpointId{(i + 1) % ports}, {}, bytes, 1));
        sent[i].push_back(bytes);
      }
    bed.run(random() % 2 ? time_never : microseconds(30));
    INFO("seed " << seed);
    for (std::uint32_t i = 0; i < ports; ++i) {
      std::vector<std::uint32_t> got;
      for (const Arrival& a : bed.trains(probes[(i + 1) % ports])) got.push_back(frame_in(a.payload).bytes);
      std::sort(got.begin(), got.end()), std::sort(sent[i].begin(), sent[i].end());
      CHECK(got == sent[i]);
    }
    CHECK(bed.waits().empty());
  }
}
