#include <catch2/catch.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include "network/wire/rail_control.hpp"
#include "tests/unit/components/controller/region_bed.hpp"

using namespace lightrail;
using namespace lightrail::test;

TEST_CASE("a port that fails loses its circuit, and others are made for the last demand without it") {
  for (const bool is_saved : {false, true}) {
    RegionBed region(ReconfigurePolicy::always);
    // Even demand, so the circuits of the start stay. Then NIC 0 of server 0 fails, and 0-1 goes with it. Of
    // ports the servers have 1, 2, 2: 1-2 keeps its circuit, and of 0-1 and 0-2 the lower one takes NIC 1.
    region.announce(1, 0, 1024, 1024, 1024);
    region.alarm(20, 0);
    region.drained(30, 1);
    region.lit(60);
    region.bed.run(is_saved ? microseconds(25) : time_never);
    CHECK(region.commands() == std::vector<Circuits>{{{1, 2}, {3, 5}}});
    CHECK(region.circuits_of(0) == Circuits{{1, 1}});
    CHECK(region.circuits_of(2) == Circuits{{1, 1}});
    CHECK(region.told(0, MessageKind::pause) == 1);
    CHECK(region.told(0, MessageKind::live) == 2);  // the call, then the repair
    CHECK(region.bed.waits().empty());
  }
}

TEST_CASE(
    "under the policy gain circuits are made around a failed port only where that gains what it costs") {
  // Packet NICs worth a tenth of a circuit take 100 MiB in 21 ms, a circuit in 2.1 ms: 18.9 ms are gained.
  for (const auto& [dark, wanted] : {std::pair{milliseconds(18), Circuits{{1, 2}, {3, 5}}},
                                     {milliseconds(19), Circuits{{1, 4}, {3, 5}}}}) {
    RegionBed region(ReconfigurePolicy::gain, dark);
    region.spec->packet_share = 0.1;
    region.announce(1, 0, 100 * 1024, 1024, 1024);
    region.alarm(20, 0);
    region.drained(30, 1);
    region.lit(60);
    region.bed.run();
    CHECK(region.commands() == std::vector<Circuits>{wanted});
    CHECK(region.circuits_of(0).size() == 1);  // in any case not the one that has gone
    CHECK(region.bed.waits().empty());
  }
}

TEST_CASE("under the policy never what is left of the circuits stays when a port fails") {
  RegionBed region(ReconfigurePolicy::never);
  region.announce(1, 0, 100 * 1024, 1024, 1024);
  region.alarm(20, 0);
  region.drained(30, 1);
  region.lit(60);
  region.bed.run();
  CHECK(region.commands() == std::vector<Circuits>{{{1, 4}, {3, 5}}});
}

TEST_CASE(
    "a port that fails while its switch is dark is not told of, and has no circuit in the next change") {
  RegionBed region(ReconfigurePolicy::always);
  region.announce(1, 0, 0, 1024, 0);  // both ports of 0 and 2 for each other
  region.drained(10, 1);
  region.alarm(30, 4);  // NIC 0 of server 2
  region.lit(40);
  region.announce(60, 1, 1024, 1024, 1024);
  region.drained(70, 2);
  region.lit(100);
  region.bed.run();
  CHECK(region.commands() == std::vector<Circuits>{{{0, 5}, {1, 4}}, {{0, 5}, {1, 2}}});
  CHECK(region.circuits_of(2) == Circuits{{1, 0}});
  CHECK(region.bed.waits().empty());
}

TEST_CASE("a region whose optical switch fails is told of no circuits and goes on") {
  RegionBed region(ReconfigurePolicy::always);
  region.announce(1, 0, 1024, 1024, 1024);
  region.alarm(20, region_control::Alarm::all_ports);
  region.drained(30, 1);
  region.lit(60);
  region.announce(80, 1, 1024, 1024, 1024);
  region.bed.run();
  CHECK(region.commands() == std::vector<Circuits>{{}});
  for (std::uint32_t gpu = 0; gpu < 3; ++gpu) CHECK(region.circuits_of(gpu).empty());
  CHECK(region.told(0, MessageKind::live) == 3);
  CHECK(region.bed.waits().empty());
}

TEST_CASE(
    "under the policy gain an exchange gets its own circuits where that gains more than a change costs") {
  // 100 MiB from 0 to 1 take 2.097 ms over the circuit of the start, half of that over two: 1.0486 ms gained.
  for (const bool is_worth : {true, false}) {
    RegionBed region(ReconfigurePolicy::gain, microseconds(is_worth ? 1048 : 1049));
    region.announce(1, 0, 100 * 1024, 0, 0);
    if (is_worth) region.drained(10, 1), region.lit(30);
    region.bed.run();
    if (is_worth)
      CHECK(region.commands() == std::vector<Circuits>{{{0, 2}, {1, 3}}});
    else
      CHECK(region.commands().empty());
    CHECK(region.told(0, MessageKind::pause) == (is_worth ? 1 : 0));
    CHECK(region.told(0, MessageKind::live) == 1);
    CHECK(region.bed.waits().empty());
  }
}

TEST_CASE("under the policy once the first exchange alone gets its own circuits") {
  for (const auto policy : {ReconfigurePolicy::once, ReconfigurePolicy::always}) {
    const bool is_once = policy == ReconfigurePolicy::once;
    RegionBed region(policy);
    region.announce(1, 0, 100 * 1024, 0, 0);
    region.drained(10, 1);
    region.lit(30);
    region.announce(60, 1, 0, 100 * 1024, 0);
    if (!is_once) region.drained(70, 2), region.lit(90);
    region.bed.run();
    CHECK(region.commands().size() == (is_once ? 1 : 2));
    CHECK(region.commands()[0] == Circuits{{0, 2}, {1, 3}});
    CHECK(region.circuits_of(0) == (is_once ? Circuits{{0, 1}, {1, 1}} : Circuits{{0, 2}, {1, 2}}));
    CHECK(region.told(0, MessageKind::live) == 2);
    CHECK(region.bed.waits().empty());
  }
}

TEST_CASE("the controller of a region takes no message about a rail's circuits, and names what it refuses") {
  for (const Payload& message : {to_payload(rail_control::Request{}), to_payload(rail_control::Granted{})}) {
    RegionBed region(ReconfigurePolicy::always);
    region.bed.script(region.gpus[0], microseconds(1), 0, message);
    CHECK_THROWS_WITH(
        region.bed.run(),
        Catch::Contains(unexpected(message) +
                        " on port 1 from a GPU; the controller of a region takes no such message"));
  }
  RegionBed region(ReconfigurePolicy::always);
  region.bed.script(region.gpus[0], microseconds(1), 0, to_payload(region_control::Lit{}));
  CHECK_THROWS_WITH(region.bed.run(), Catch::Contains("unexpected message 'lit' on port 1"));
}
