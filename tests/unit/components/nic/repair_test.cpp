// Losses and their repair between real NICs: a sender, a sink and a switch that loses what a test says.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "network/port/pause/tables.hpp"
#include "network/transport/dctcp.hpp"
#include "network/transport/nscc.hpp"
#include "network/transport/tables.hpp"
#include "network/transport/timely.hpp"
#include "tests/support/ethernet_star.hpp"
#include "tests/support/lossy_switch.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr SimTime packet{81'920};  ///< of 4,096 B at 400 Gb/s

/// Frames of which the `count`-th of a number is lost: {number, which of its sendings}.
Loss nth_sending(std::vector<std::pair<std::uint16_t, int>> lost) {
  return [lost = std::move(lost), seen = std::map<std::uint16_t, int>{}](const Frame& frame) mutable {
    if (frame.kind != MessageKind::numbered_train) return false;
    const std::uint16_t number = as<NumberedTrain>(frame).number;
    const std::pair<std::uint16_t, int> one{number, ++seen[number]};
    return std::find(lost.begin(), lost.end(), one) != lost.end();
  };
}

/// `packets` from endpoint 0 to 1 on a class that loses.
struct Flow {
  EthernetStar star;

  Flow(LossRepair repair, SimTime cable, std::int64_t packets, Loss loss, std::uint32_t grain = 1,
       SimTime error_interval = microseconds(500), Loss trims = {}) {
    star.kind = lossy_switch_kind(std::move(loss), std::move(trims));
    star.cable = cable, star.grain = grain;
    star.spec->lossless = star.nic.lossless = "none";
    star.nic.repair = repair;
    star.nic.retransmit_timeout = microseconds(100);
    star.nic.error_interval = error_interval;
    star.build(2);
    star.bed.record(milliseconds(1));
    star.post(0, 1, static_cast<std::uint32_t>(4096 * packets));
  }
  /// When the device has the head of the last packet.
  SimTime run() {
    star.bed.run();
    return star.bed.trains(star.gpus[1]).back().time;
  }
  RepairCounts counts(std::uint32_t nic) {
    for (const Row& row : star.bed.rows(tables::repair))
      if (row.component.value == star.device.value + 1 + nic)
        return {row.values[0], row.values[1], row.values[2], row.values[3],
                row.values[4], row.values[5], row.values[6]};
    return {};
  }
};

constexpr SimTime pcie = nanoseconds(200);
/// When packet i, in order and on time, is at the sink's device: its work request comes in after the latency
/// of PCIe; two cables; the sink's PCIe is twice as fast, so its heads wait for the fabric's tails.
SimTime on_time(std::int64_t i, SimTime cable) {
  return pcie + i * packet + 2 * cable + packet / 2 + pcie;
}
/// Closed form. Packet k is lost. The one behind it shows that, 2 cables later; what it says is heard after 2
/// more, and the packet that is on the line then is sent to its end: k is sent again as the m-th,
///   m = k + 1 + ceil(4 cable / p).
std::int64_t slot_of_repair(std::int64_t k, SimTime cable) {
  return k + 1 + (4 * cable.count() + packet.count() - 1) / packet.count();
}

/// Windows small enough to shut flows.
void add_windows(EthernetStar& star, SimTime cable) {
  NsccSpec spec;
  spec.base_rtt = std::max(4 * cable, nanoseconds(200));
  spec.window = 0.5;
  star.bed.finish_model().add(std::make_shared<const Nscc>(Nscc{spec}));
}

/// Senders that go by acknowledgements, where every train has one, with windows small enough to shut flows.
void add_control(EthernetStar& star, std::uint64_t choice) {
  Model& model = star.bed.finish_model();
  if (choice % 3 == 0)
    model.add(std::make_shared<const Dctcp>(Dctcp{{.round_trip = nanoseconds(400)}}));
  else if (choice % 3 == 1)
    model.add(std::make_shared<const Timely>(
        Timely{{.low = nanoseconds(100), .least_rtt = microseconds(1), .round_trip = nanoseconds(700)}}));
}

/// A lossless class whose pauses a watchdog takes for storms, with a sink so slow that there are some.
template <class Below>
void add_watchdog(EthernetStar& star, Below&& below) {
  star.spec->lossless = star.nic.lossless = "0";
  star.nic.repair_of = RepairOf::all;
  star.nic_buffer = Bytes{static_cast<std::int64_t>(400'000 + below(200'000))};
  star.spec->alpha = 0.125 * static_cast<double>(below(3));
  star.pcie = {BitRate{static_cast<std::int64_t>(5 + below(30)) * EthernetStar::giga}};
  star.nic.retransmit_timeout = milliseconds(3);
  star.spec->watchdogs = {{.detect = nanoseconds(static_cast<std::int64_t>(1 + below(30'000))),
                           .restore = nanoseconds(static_cast<std::int64_t>(1 + below(30'000))),
                           .action = below(4) == 0 ? StormAction::forward : StormAction::drop}};
}

/// Random posts over links that lose and switches that trim, or throw away what is in a storm, with a
/// checkpoint in the middle: what comes in is what comes in without either, of every seed of [first, end).
void check_random_losses(std::uint64_t first, std::uint64_t end) {
  std::int64_t storms = 0;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    std::mt19937_64 draw(seed);
    const auto below = [&](std::uint64_t bound) { return draw() % bound; };
    const auto repair = static_cast<LossRepair>(below(3));
    const bool has_windows = repair == LossRepair::trimming && below(2) == 0;
    const std::uint64_t per_mille = below(100), trimmed_per_mille = below(2) * below(300);
    const std::uint32_t endpoints = 2 + static_cast<std::uint32_t>(below(3));
    const std::uint32_t grain = 1 + static_cast<std::uint32_t>(below(8));
    const SimTime cable = nanoseconds(static_cast<std::int64_t>(20 + below(3000)));
    const std::int64_t interval = static_cast<std::int64_t>(below(3)) * 7;
    CAPTURE(seed, per_mille, trimmed_per_mille, endpoints, grain, cable.count(), static_cast<int>(repair),
            has_windows);
    const bool is_watched = repair != LossRepair::trimming && below(3) == 0;
    const std::uint64_t of_watchdog = draw();
    struct Post {
      std::uint32_t from, to, bytes;
      SimTime at;
    };
    std::vector<Post> posts(1 + below(30));
    for (Post& post : posts)
      post = {static_cast<std::uint32_t>(below(endpoints)), static_cast<std::uint32_t>(below(endpoints)),
              static_cast<std::uint32_t>(1 + below(200'000)),
              nanoseconds(static_cast<std::int64_t>(below(20'000)))};
    // Sizes of what came in, by receiver and sender: with losses as without.
    std::vector<std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>>> got;
    for (const bool loses : {false, true}) {
      std::mt19937_64 loss(seed + 1);
      EthernetStar star;
      star.kind = lossy_switch_kind(
          [&loss, loses, per_mille](const Frame&) { return loses && loss() % 1000 < per_mille; },
          [&loss, loses, trimmed_per_mille](const Frame&) {
            return loses && loss() % 1000 < trimmed_per_mille;
          });
      if (repair == LossRepair::trimming) star.spec->trims = {{.lane = 0, .queue = Bytes{100'000}}};
      star.cable = cable, star.grain = grain;
      star.spec->lossless = star.nic.lossless = "none";
      star.nic.repair = repair;
      if (of_watchdog % 2 == 0) star.nic.completion = NicCompletion::acknowledged;
      if (of_watchdog % 5 == 0)
        star.nic.answers = NicAnswers::first, star.spec->answers = SwitchAnswers::first;
      star.nic.retransmit_timeout = microseconds(100);
      star.nic.error_interval = microseconds(interval);
      if (is_watched) {
        std::mt19937_64 own(of_watchdog);
        add_watchdog(star, [&](std::uint64_t bound) { return own() % bound; });
        if (!loses) star.spec->watchdogs.clear();
      }
      star.build(endpoints);
      star.bed.record(milliseconds(1));
      if (has_windows) add_windows(star, cable);
      if (!has_windows && repair != LossRepair::selective_repeat) add_control(star, of_watchdog);
      for (const Post& post : posts) star.post(post.from, post.to, post.bytes, 0, post.at);
      star.bed.run(loses ? microseconds(static_cast<std::int64_t>(seed % 40)) : time_never);
      REQUIRE(star.bed.waits() == std::vector<std::string>{});
      storms += static_cast<std::int64_t>(star.bed.rows(tables::storms).size());
      auto& sizes = got.emplace_back();
      for (std::uint32_t k = 0; k < endpoints; ++k)
        for (const Arrival& a : star.bed.trains(star.gpus[k])) {
          const Frame frame = frame_in(a.payload);
          sizes[{k, frame.address.from().value}].push_back(frame.bytes);
        }
    }
    REQUIRE(got[0] == got[1]);
  }
  CHECK(storms > 0);
}

}  // namespace

TEST_CASE("go-back-N sends a round trip's packets again, selective repeat the one that is lost") {
  constexpr std::int64_t packets = 200;
  for (const std::int64_t ns : {50, 333, 1500}) {
    for (const std::int64_t k : {0, 7, 100}) {
      const SimTime cable = nanoseconds(ns);
      const std::int64_t m = slot_of_repair(k, cable);
      INFO(ns << " ns, packet " << k << ": the " << m << "-th");
      REQUIRE(m < packets);
      Flow back(LossRepair::go_back_n, cable, packets, nth_sending({{k, 1}}));
      CHECK(back.run() == on_time(packets - 1 + m - k, cable));
      CHECK(back.counts(0).repeated == m - k);
      CHECK(back.counts(0).repeated_bytes == 4096 * (m - k));
      CHECK(back.counts(1).discarded == m - k - 1);
      Flow selective(LossRepair::selective_repeat, cable, packets, nth_sending({{k, 1}}));
      CHECK(selective.run() == on_time(packets, cable));
      CHECK(selective.counts(0).repeated == 1);
      CHECK(selective.counts(1).discarded == 0);
      for (Flow* flow : {&back, &selective}) {
        CHECK(payload_bytes(flow->star.bed.trains(flow->star.gpus[1])) == 4096 * packets);
        CHECK(flow->counts(0).sent == packets);
        CHECK(flow->counts(0).timeouts == 0);
        CHECK(flow->star.bed.waits().empty());
      }
    }
  }
}

TEST_CASE("with trimming one packet goes again, a round trip after the one whose payload was cut off") {
  // Its header is heard of 4 cables later; the packet that is on the line then is sent to its end, so that
  // all behind it are one packet late, wherever that is.
  constexpr std::int64_t packets = 200;
  for (const std::int64_t ns : {50, 333, 1500})
    for (const std::int64_t k : {0, 7, 100}) {
      INFO(ns << " ns, packet " << k);
      const SimTime cable = nanoseconds(ns);
      Flow flow(
          LossRepair::trimming, cable, packets, [](const Frame&) { return false; }, 1, microseconds(500),
          nth_sending({{k, 1}}));
      CHECK(flow.run() == on_time(packets, cable));
      CHECK(flow.counts(0).repeated == 1);
      CHECK(flow.counts(0).timeouts == 0);
      CHECK(flow.counts(1).discarded == 0);
      const auto got = flow.star.bed.trains(flow.star.gpus[1]);
      REQUIRE(got.size() == packets);
      const std::int64_t m = k + (4 * cable.count() + packet.count() - 1) / packet.count();
      for (std::int64_t i = 0; i < packets; ++i)
        CHECK(got[i].time == on_time(i < k ? i : i < m ? m : i + 1, cable));
    }
}

TEST_CASE("with trimming what is overtaken or not named is not taken for lost") {
  // A lost packet shows when the timer ends, alone of 50; so does one whose header is lost.
  Flow flow(LossRepair::trimming, nanoseconds(333), 50, nth_sending({{7, 1}}));
  flow.run();
  CHECK(flow.counts(0).repeated == 1);
  CHECK(flow.counts(0).timeouts == 1);
  CHECK(payload_bytes(flow.star.bed.trains(flow.star.gpus[1])) == 4096 * 50);
}

TEST_CASE("a window lets so many packets on the way, and the next ones when they are acknowledged") {
  // W = 0.011 round trips of 40 to 41 us at 400 Gb/s, 22,000 B: five packets, each answered 4 cables later.
  const SimTime cable = microseconds(10), round_trip = 4 * cable;
  constexpr std::int64_t packets = 23, window = 5;
  Flow flow(LossRepair::trimming, cable, packets, [](const Frame&) { return false; });
  NsccSpec spec;
  spec.base_rtt = microseconds(41), spec.window = 0.011;
  flow.star.bed.finish_model().add(std::make_shared<const Nscc>(Nscc{spec}));
  flow.run();
  const auto got = flow.star.bed.trains(flow.star.gpus[1]);
  REQUIRE(got.size() == packets);
  for (std::int64_t i = 0; i < packets; ++i)
    CHECK(got[i].time == on_time(i % window, cable) + i / window * round_trip);
}

TEST_CASE("a device is told of what came early when the missing packet is there, and not before") {
  const SimTime cable = nanoseconds(333);
  Flow flow(LossRepair::selective_repeat, cable, 200, nth_sending({{7, 1}}));
  flow.run();
  const auto got = flow.star.bed.trains(flow.star.gpus[1]);
  const std::int64_t m = slot_of_repair(7, cable);
  REQUIRE(got.size() == 200);
  for (std::int64_t i = 0; i < 200; ++i) {
    INFO(i);
    // Packets 8 to m - 1 have come in the slots before the repair, those from m on one slot late.
    const std::int64_t slot = i < 7 ? i : i < m ? m : i + 1;
    CHECK(got[i].time == on_time(slot, cable));
  }
  // Their bytes take the device's link once.
  CHECK(flow.star.bed.trains(flow.star.gpus[1], MessageKind::placed_train).size() ==
        static_cast<std::size_t>(m - 8));
}

TEST_CASE("the loss of the last packet shows when the timer ends, since nothing comes behind it") {
  const SimTime cable = nanoseconds(333);
  for (const LossRepair repair : {LossRepair::go_back_n, LossRepair::selective_repeat}) {
    Flow flow(repair, cable, 50, nth_sending({{49, 1}}));
    // The timer runs from the acknowledgement of packet 48, which is later than the tail of 49.
    const SimTime heard = pcie + 48 * packet + 4 * cable;
    CHECK(flow.run() == heard + microseconds(100) + 2 * cable + packet / 2 + pcie);
    CHECK(flow.counts(0).repeated == 1);
    CHECK(flow.counts(0).timeouts == 1);
  }
}

TEST_CASE("selective repeat sends a packet a third time when something sent after the second is there") {
  Flow flow(LossRepair::selective_repeat, nanoseconds(333), 600, nth_sending({{7, 1}, {7, 2}}));
  CHECK(flow.run() == on_time(601, nanoseconds(333)));
  CHECK(flow.counts(0).repeated == 2);
  CHECK(flow.counts(0).timeouts == 0);
}

TEST_CASE("go-back-N is told again of a packet that is missing still, after an interval or never") {
  const SimTime cable = nanoseconds(333), interval = microseconds(2);
  Flow flow(LossRepair::go_back_n, cable, 600, nth_sending({{7, 1}, {7, 2}}), 1, interval);
  // Packet 8 shows the loss; the first packet that comes in when the interval is over shows the other one,
  // and 4 cables later, when the line is free, packet 7 goes a third time.
  const std::int64_t shows = 8 + (interval.count() + packet.count() - 1) / packet.count();
  const std::int64_t again = shows + slot_of_repair(0, cable) - 1;
  REQUIRE(shows > slot_of_repair(7, cable));
  CHECK(flow.run() == on_time(599 + again - 7, cable));
  CHECK(flow.counts(0).timeouts == 0);
  Flow silent(LossRepair::go_back_n, cable, 600, nth_sending({{7, 1}, {7, 2}}), 1, SimTime{0});
  silent.run();
  CHECK(silent.counts(0).timeouts == 1);
  CHECK(payload_bytes(silent.star.bed.trains(silent.star.gpus[1])) == 4096 * 600);
}

TEST_CASE("a flow of which nothing comes through is given up after its retries") {
  Flow flow(LossRepair::go_back_n, nanoseconds(50), 10,
            [](const Frame& frame) { return frame.kind == MessageKind::numbered_train; });
  CHECK_THROWS_WITH(flow.run(), Catch::Contains("gave up sending to endpoint 1") &&
                                    Catch::Contains("after 7 retries: nothing was acknowledged"));
}

TEST_CASE("two NICs overfill a small memory: what it loses is counted, and all arrives") {
  for (const LossRepair repair : {LossRepair::go_back_n, LossRepair::selective_repeat})
    for (const std::uint32_t grain : {1u, 8u}) {
      EthernetStar star;
      star.grain = grain;
      star.spec->lossless = star.nic.lossless = "none";
      star.spec->buffer = Bytes{1 << 20};
      star.nic.repair = repair;
      star.nic.retransmit_timeout = milliseconds(1);
      star.build(3);
      star.bed.record(milliseconds(1));
      for (std::uint32_t k = 0; k < 2; ++k) star.post(k, 2, 4096 * 800);
      star.bed.run();
      CHECK(payload_bytes(star.bed.trains(star.gpus[2])) == 2 * 4096 * 800);
      CHECK(star.bed.waits().empty());
      std::int64_t lost = 0, repeated = 0, discarded = 0;
      for (const Row& row : star.bed.rows(tables::buffer))
        if (row.component == star.device && row.values[0] == -1) lost = row.values[4];
      for (const Row& row : star.bed.rows(tables::repair))
        repeated += row.values[2], discarded += row.values[5];
      CHECK(lost > 0);
      // What is sent again makes up for what was lost, and for what came and was not taken.
      CHECK(repeated == lost + discarded);
      CHECK((discarded > 0) == (repair == LossRepair::go_back_n));
    }
}

TEST_CASE("what a NIC has no room for is lost, counted and repaired, in whatever way") {
  for (const LossRepair repair :
       {LossRepair::go_back_n, LossRepair::selective_repeat, LossRepair::trimming}) {
    EthernetStar star;
    star.grain = 1;
    star.pcie = {BitRate{800 * EthernetStar::giga}, BitRate{100 * EthernetStar::giga}};
    star.nic_buffer = Bytes{40'000};
    star.spec->lossless = star.nic.lossless = "none";
    star.nic.repair = repair;
    star.nic.retransmit_timeout = microseconds(100);
    star.build(2);
    star.bed.record(milliseconds(1));
    star.post(0, 1, 4096 * 60);
    star.bed.run();
    CHECK(payload_bytes(star.bed.trains(star.gpus[1])) == 4096 * 60);
    CHECK(star.bed.waits().empty());
    std::int64_t lost = 0;
    for (const Row& row : star.bed.rows(tables::buffer))
      if (row.component != star.device && row.values[0] == 0) lost += row.values[4];
    CHECK(lost > 0);
  }
}

TEST_CASE("whatever gets lost, every byte arrives once and in order") {
  check_random_losses(0, 300);
}

TEST_CASE("whatever gets lost, of ten thousand runs", "[.long]") {
  check_random_losses(300, 10'300);
}
