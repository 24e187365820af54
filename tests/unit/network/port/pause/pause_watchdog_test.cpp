// Storms between real devices: a source, a switch with a watchdog, and a sink that has the switch stop.
#include "network/port/pause/pause_watchdog.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/transfer_time.hpp"
#include "network/port/pause/pause_frame.hpp"
#include "network/port/pause/tables.hpp"
#include "network/transport/tables.hpp"
#include "tests/support/ethernet_star.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr SimTime cable = nanoseconds(500), pcie = nanoseconds(200);
constexpr SimTime packet{81'920};                    ///< of 4,096 B at 400 Gb/s
constexpr SimTime drained = nanoseconds(4'096'000);  ///< of one at the sink's 8 Mb/s
constexpr std::int64_t memory = 1 << 20;             ///< of the sink's NIC [B]

/// Closed form. Packet i is at the switch at pcie + cable + i p, and leaves at once; the sink's memory is
/// full with the n-th, n = (memory - headroom) / 4096 rounded down, and its pause is heard a cable, the frame
/// and a cable later. When the reaction is over too, packets stop; the first one that waits then comes with
/// the next slot.
std::int64_t packets_before_pause() {
  const BitRate rate{400 * EthernetStar::giga};
  const PortEnd end{.out_rate = rate, .in_rate = rate, .round_trip = cable + cable, .mtu_bytes = 4096};
  return (memory - headroom_bytes(end, pause_reaction(rate))) / 4096;
}
SimTime heard() {
  const SimTime frame = transfer_time(Bytes{PauseFrame::wire_bytes}, BitRate{400 * EthernetStar::giga});
  return pcie + cable + packets_before_pause() * packet + cable + frame + cable;
}
/// Packets that leave for the sink.
std::int64_t passed() {
  const SimTime stops = heard() + pause_reaction(BitRate{400 * EthernetStar::giga}) - pcie - cable;
  return (stops.count() + packet.count() - 1) / packet.count();
}
/// Since when the class is stuck.
SimTime stuck() {
  return pcie + cable + passed() * packet;
}

struct Wall {
  EthernetStar star;

  Wall(std::int64_t packets, const WatchdogSpec& watchdog, LossRepair repair = LossRepair::go_back_n,
       RepairOf repair_of = RepairOf::all) {
    star.cable = cable, star.grain = 1;
    star.pcie = {BitRate{800 * EthernetStar::giga}, BitRate{8'000'000}};
    star.nic.repair = repair;
    star.nic.repair_of = repair_of;
    star.nic.retransmit_timeout = milliseconds(3000);
    star.spec->watchdogs = {watchdog};
    star.build(2);
    star.bed.record(milliseconds(1));
    star.post(0, 1, static_cast<std::uint32_t>(4096 * packets));
  }
  std::vector<std::vector<std::int64_t>> storms(SimTime save_at = time_never) {
    star.bed.run(save_at);
    std::vector<std::vector<std::int64_t>> all;
    for (const Row& row : star.bed.rows(tables::storms))
      if (row.component == star.device) all.push_back(row.values);
    return all;
  }
  std::int64_t delivered() { return payload_bytes(star.bed.trains(star.gpus[1])); }
  std::int64_t repeated() {
    std::int64_t all = 0;
    for (const Row& row : star.bed.rows(tables::repair)) all += row.values[2];
    return all;
  }
};

/// What came in the headroom has to leave before the sink lets the switch go on.
SimTime go_heard() {
  const std::int64_t in_headroom = passed() - packets_before_pause();
  const SimTime first = pcie + cable + cable;
  const SimTime frame = transfer_time(Bytes{PauseFrame::wire_bytes}, BitRate{400 * EthernetStar::giga});
  return first + in_headroom * drained + frame + cable;
}

}  // namespace

TEST_CASE(
    "a class that waits and may not begin for `detect` is in a storm, until `restore` after its pause") {
  for (const LossRepair repair : {LossRepair::go_back_n, LossRepair::selective_repeat})
    for (const std::int64_t ms : {1, 7}) {
      INFO(ms << " ms");
      const std::int64_t packets = passed() + 20;
      Wall wall(packets, {.detect = milliseconds(ms), .restore = milliseconds(3)}, repair);
      const SimTime began = stuck() + milliseconds(ms), ended = go_heard() + milliseconds(3);
      const auto storms = wall.storms();
      REQUIRE(storms.size() == 1);
      CHECK(storms[0] ==
            std::vector<std::int64_t>{1, 0, began.count(), (ended - began).count(), 1, 20, 20 * 4096});
      CHECK(wall.delivered() == 4096 * packets);  // when its timer ends, what was thrown away comes again
      CHECK(wall.repeated() == 20);
      CHECK(wall.star.bed.waits().empty());
    }
}

TEST_CASE("a pause behind which nothing waits is no storm, and neither is one shorter than `detect`") {
  Wall alone(passed(), {.detect = milliseconds(1)});
  CHECK(alone.storms().empty());
  CHECK(alone.delivered() == 4096 * passed());
  const SimTime paused = go_heard() - stuck();
  Wall brief(passed() + 5, {.detect = paused + nanoseconds(1)});
  CHECK(brief.storms().empty());
  CHECK(brief.repeated() == 0);
  Wall longer(passed() + 5, {.detect = paused - nanoseconds(1), .restore = milliseconds(1)});
  CHECK(longer.storms().size() == 1);
  CHECK(longer.delivered() == 4096 * (passed() + 5));
}

TEST_CASE("what comes during a storm is thrown away too, also after the pause and before it is over") {
  Wall wall(passed() + 20, {.detect = milliseconds(1), .restore = milliseconds(3)});
  wall.star.post(0, 1, 4096 * 7, 0, go_heard() + milliseconds(1));
  const auto storms = wall.storms();
  REQUIRE(storms.size() == 1);
  CHECK(storms[0][5] == 27);
  CHECK(wall.delivered() == 4096 * (passed() + 27));
}

TEST_CASE("a watchdog that forwards sends in spite of the pause, and the far end loses what finds no room") {
  Wall wall(passed() + 20,
            {.detect = milliseconds(1), .restore = milliseconds(3), .action = StormAction::forward});
  const auto storms = wall.storms();
  REQUIRE(storms.size() == 1);
  CHECK(storms[0][2] == (stuck() + milliseconds(1)).count());
  CHECK(storms[0][5] == 0);
  std::int64_t lost = 0;
  for (const Row& row : wall.star.bed.rows(tables::buffer))
    if (row.component != wall.star.device && row.values[0] == 0) lost += row.values[4];
  CHECK(lost > 0);
  CHECK(lost <= 20);
  CHECK(wall.delivered() == 4096 * (passed() + 20));
}

TEST_CASE("what nobody would repair is not thrown away: it waits for the end of the pause") {
  Wall wall(passed() + 20, {.detect = milliseconds(1), .restore = milliseconds(3)}, LossRepair::go_back_n,
            RepairOf::lossy);
  const auto storms = wall.storms();
  REQUIRE(storms.size() == 1);
  CHECK(storms[0][5] == 0);
  CHECK(wall.delivered() == 4096 * (passed() + 20));
  CHECK(wall.repeated() == 0);
}

TEST_CASE("a storm outlives a checkpoint, before, in and after it") {
  const auto run = [](SimTime save_at) {
    Wall wall(passed() + 20, {.detect = milliseconds(1), .restore = milliseconds(3)});
    const auto storms = wall.storms(save_at);
    std::vector<SimTime> times;
    for (const Arrival& one : wall.star.bed.trains(wall.star.gpus[1])) times.push_back(one.time);
    return std::pair(storms, times);
  };
  const auto plain = run(time_never);
  for (const SimTime at : {stuck() + microseconds(3), stuck() + milliseconds(2), go_heard() + milliseconds(2),
                           go_heard() + milliseconds(9)})
    CHECK(run(at) == plain);
}
