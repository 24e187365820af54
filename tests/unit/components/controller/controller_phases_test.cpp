#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/components/controller/region_bed.hpp"

using namespace lightrail;
using namespace lightrail::test;
using region_control::Live, region_control::Share;

namespace {

/// The region with phases.
struct PhaseBed : RegionBed {
  explicit PhaseBed(std::uint32_t phases, ReconfigurePolicy policy = ReconfigurePolicy::always,
                    SimTime expected_dark = milliseconds(25))
      : RegionBed(policy, expected_dark) {
    spec->algorithm = Assignment::birkhoff_schedule;
    spec->phases = phases;
  }
  /// 0 -> 1 alone over two ports is one phase; with 0 -> 2 as much, and two ports, still one. So one port of
  /// server 0 is out of order, and it announces so many KiB to servers 1 and 2.
  void announce_two_phases(std::uint32_t to_1, std::uint32_t to_2) {
    alarm(1, 0);
    drained(10, 1);
    lit(30);
    announce(50, 0, to_1, to_2, 0);
    drained(60, 2);  // at the controller at 61, which commands at 71
    lit(80);         // live at the GPUs at 82
  }
  template <Message T>
  std::vector<T> told_all(std::uint32_t gpu, MessageKind kind) {
    std::vector<T> all;
    for (const Arrival& a : bed.arrivals(gpus[gpu]))
      if (kind_of(a.payload) == kind) all.push_back(as<T>(a.payload));
    return all;
  }
  std::vector<SimTime> times(std::uint32_t gpu, MessageKind kind) {
    std::vector<SimTime> all;
    for (const Arrival& a : bed.arrivals(gpus[gpu]))
      if (kind_of(a.payload) == kind) all.push_back(a.time);
    return all;
  }
};

}  // namespace

TEST_CASE("phases follow one another when all have begun and the bytes of a phase have had their time") {
  for (const bool is_saved : {false, true}) {
    PhaseBed region(2);
    region.announce_two_phases(100 * 1024, 50 * 1024);
    region.begun(100);  // at the controller at 101: 100 MiB at 400 Gb/s are 2,097.152 us
    region.drained(2300, 3);
    region.lit(2400);
    region.bed.run(is_saved ? microseconds(500) : time_never);
    // The start's circuits without server 0's NIC 0, which 0 -> 1 and 1 -> 0 went by; then 0 -> 1 on NIC 1 of
    // server 0 to the first NIC of server 1 that hears nothing, then 0 -> 2.
    REQUIRE(region.beams().size() == 3);
    CHECK(region.beams()[0] == Circuits{{1, 4}, {3, 5}, {4, 1}, {5, 3}});
    CHECK(region.beams()[1] == Circuits{{1, 2}});
    CHECK(region.beams()[2] == Circuits{{1, 4}});
    CHECK(region.circuits_of(0) == Circuits{{1, 2}});
    CHECK(region.circuits_of(1).empty());  // hears, and sends nothing
    const auto later = region.told_all<Share>(0, MessageKind::later);
    REQUIRE(later.size() == 1);
    CHECK((later[0].member == 2 && later[0].parts == Share::whole));
    const auto live = region.told_all<Live>(0, MessageKind::live);
    REQUIRE(live.size() == 3);
    CHECK((live[0].wants_begun == 0 && live[1].wants_begun == 1 && live[2].wants_begun == 0));
    CHECK((live[0].calls == 0 && live[1].calls == 1 && live[2].calls == 1));
    CHECK(region.times(0, MessageKind::pause).back() == microseconds(102) + nanoseconds(2'097'152));
    CHECK(region.bed.waits().empty());
  }
}

// 150 MiB at 400 Gb/s take 3,145.728 us on the one circuit of server 0 and as long on its one packet NIC, and
// the last change took 29 us (2 to 31): packets take 0.5046 of all, 33,070 of 65,536 parts. What is left of
// the first phase's 100 MiB takes 1,038.912 us.
TEST_CASE("packet NICs that join take a share of every pair at once, and phases are shorter by it") {
  for (const bool is_saved : {false, true}) {
    PhaseBed region(2);
    region.regions->joins_both = true;
    region.regions->packet_nics = {2};
    region.regions->gpu_of_nic = {0, 0, 0};
    region.regions->packet_rate = BitRate{400'000'000'000};
    region.announce_two_phases(100 * 1024, 50 * 1024);
    region.begun(100);
    region.drained(1300, 3);
    region.lit(1400);
    region.bed.run(is_saved ? microseconds(500) : time_never);
    const auto beside = region.told_all<Share>(0, MessageKind::beside);
    REQUIRE(beside.size() == 4);  // with each phase, for both servers
    for (std::size_t i = 0; i < 4; ++i) CHECK((beside[i].member == 1 + i % 2 && beside[i].parts == 33'070));
    CHECK(region.told(1, MessageKind::beside) == 0);  // sends nothing
    CHECK(region.times(0, MessageKind::pause).back() == microseconds(102) + nanoseconds(1'038'912));
    CHECK(region.bed.waits().empty());
  }
}

TEST_CASE("a phase waits for the last GPU to begin, and says so") {
  PhaseBed region(2);
  region.announce_two_phases(100 * 1024, 50 * 1024);
  for (const std::uint32_t gpu : {0u, 2u})
    region.bed.script(region.gpus[gpu], microseconds(100), 0, to_payload(region_control::Begun{}));
  region.bed.run();
  CHECK(region.told(0, MessageKind::pause) == 2);
  CHECK(region.bed.waits() == std::vector<std::string>{"controller4: 2 of 3 GPUs have begun exchange 0"});
}

TEST_CASE("a port that fails within a phase begins the phase anew without it") {
  PhaseBed region(2);
  region.announce_two_phases(100 * 1024, 50 * 1024);
  region.begun(100);
  region.alarm(500, 2);  // NIC 0 of server 1, which hears 0: NIC 1 takes its place
  region.drained(600, 3);
  region.lit(700);  // at the controller at 701: another 2,097.152 us
  region.drained(2900, 4);
  region.lit(3000);
  region.bed.run();
  REQUIRE(region.beams().size() == 4);
  CHECK(region.beams()[1] == Circuits{{1, 2}});
  CHECK(region.beams()[2] == Circuits{{1, 3}});
  CHECK(region.beams()[3] == Circuits{{1, 4}});
  const auto live = region.told_all<Live>(0, MessageKind::live);
  REQUIRE(live.size() == 4);
  CHECK((live[2].calls == 1 && live[2].wants_begun == 0));  // the same exchange, and nobody is asked twice
  CHECK(region.told_all<Share>(0, MessageKind::later).size() == 2);
  CHECK(region.times(0, MessageKind::pause).back() == microseconds(702) + nanoseconds(2'097'152));
  CHECK(region.bed.waits().empty());
}

TEST_CASE("under the policy gain an exchange gets as many phases as pay for themselves") {
  // One circuit of the start from 0 to 1 takes 2.097 ms for 100 MiB. Two ports in one phase take 1.049 ms:
  // worth a change that takes less than the difference.
  for (const bool is_worth : {true, false}) {
    PhaseBed region(3, ReconfigurePolicy::gain, microseconds(is_worth ? 1048 : 1049));
    region.announce(1, 0, 100 * 1024, 0, 0);
    if (is_worth) region.drained(10, 1), region.lit(30);
    region.bed.run();
    CHECK(region.beams() == (is_worth ? std::vector<Circuits>{{{0, 2}, {1, 3}}} : std::vector<Circuits>{}));
    CHECK(region.told(0, MessageKind::live) == 1);
    CHECK(region.bed.waits().empty());
  }
}

TEST_CASE("the phase whose circuits are lit comes first, without a change") {
  // 0 -> 1 and 0 -> 2 with one port of server 0 take turns; the second exchange begins with what the first
  // one ended with.
  PhaseBed region(2);
  region.announce_two_phases(1024, 512);
  region.begun(100);
  region.drained(200, 3);
  region.lit(300);
  region.announce(400, 1, 1024, 512, 0);  // live at once: told at 402
  region.begun(410);
  region.drained(500, 4);
  region.lit(600);
  region.bed.run();
  CHECK(region.beams() ==
        std::vector<Circuits>{{{1, 4}, {3, 5}, {4, 1}, {5, 3}}, {{1, 2}}, {{1, 4}}, {{1, 2}}});
  CHECK(region.told(0, MessageKind::pause) == 4);
  const auto later = region.told_all<Share>(0, MessageKind::later);
  REQUIRE(later.size() == 2);
  CHECK((later[0].member == 2 && later[1].member == 1));
  CHECK(region.bed.waits().empty());
}
