#include "components/nvswitch/recall_desk.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "components/nvswitch/nvswitch.hpp"
#include "network/port/tables.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

constexpr SimTime latency = nanoseconds(100);

/// Two probes as the GPUs of a circle, whose next operation puts its first byte on the line 5 us after a
/// collective at the earliest.
struct Desk {
  NetworkBed bed;
  std::vector<ComponentId> gpus;
  ComponentId nvswitch;
  /// A buffer of two packets gives credits back packet by packet.
  explicit Desk(std::int64_t buffer = 8192, std::size_t max_runs = 1000) {
    for (std::uint16_t i = 0; i < 2; ++i) gpus.push_back(bed.add_endpoint(0, i, i));
    bed.book().gpu_count = 2;
    auto spec = std::make_shared<NvswitchSpec>();
    spec->ports = 2;
    spec->buffer = Bytes{buffer};
    nvswitch = bed.add(nvswitch_kind(), spec, "nvswitch");
    const auto nvlink = bed.link_class(latency, BitRate{3'200'000'000'000}, 4096, 1);  // 2.5 ps a byte
    for (std::uint16_t i = 0; i < 2; ++i) bed.connect(gpus[i], 0, nvswitch, i, nvlink);
    bed.record(milliseconds(1));
    RecallPlan plan;
    plan.circles = {{{EndpointId{0}, EndpointId{1}}, microseconds(5)}};
    plan.circle_of = {0, 0};
    plan.max_runs = max_runs;
    bed.finish_model().add(std::make_shared<const RecallPlan>(plan));
  }
  void come(std::uint32_t gpu, SimTime at, std::uint32_t number, SimTime delay = microseconds(3),
            bool is_at_rest = true) {
    bed.script(gpus[gpu], at, 0,
               to_payload(recall::Coming{.is_at_rest = is_at_rest,
                                         .alike = 7,
                                         .number = number,
                                         .delay_ps = static_cast<std::uint32_t>(delay.count())}));
  }
  /// Both come at `at`, send each other 4,096 B after 3 us and say so later.
  void exchange(SimTime at, std::uint32_t pattern = 0, bool is_clean = true,
                SimTime second_took = microseconds(1), std::uint32_t least_allowed = 0) {
    for (const std::uint32_t gpu : {0u, 1u}) {
      come(gpu, at, pattern);
      bed.script(gpus[gpu], at + microseconds(3), 0,
                 train_payload(MessageKind::train, EndpointId{gpu}, EndpointId{1 - gpu}, {}, 4096, 1));
      const SimTime took = gpu == 0 ? microseconds(1) : second_took;
      bed.script(
          gpus[gpu], at + microseconds(3) + took, 0,
          to_payload(recall::Report{.is_clean = is_clean, .least_allowed = least_allowed, .took = took}));
    }
  }
  [[nodiscard]] std::vector<recall::Answer> answers(std::uint32_t gpu) const {
    std::vector<recall::Answer> all;
    for (const Arrival& arrival : bed.trains(gpus[gpu], MessageKind::recall_answer))
      all.push_back(as<recall::Answer>(arrival.payload));
    return all;
  }
  std::map<RecallOutcome, std::int64_t> counts() {
    std::map<RecallOutcome, std::int64_t> all;
    for (const Row& row : bed.rows(tables::recalled))
      all[static_cast<RecallOutcome>(row.values[0])] += row.values[1];
    return all;
  }
};

using enum RecallOutcome;
using Counts = std::map<RecallOutcome, std::int64_t>;

}  // namespace

TEST_CASE("the first collective is recorded and the second one goes as it did") {
  Desk desk;
  desk.exchange(nanoseconds(10));
  for (const std::uint32_t gpu : {0u, 1u}) desk.come(gpu, microseconds(20), 1);
  desk.bed.run(microseconds(3) + nanoseconds(150));  // a checkpoint while the packets are on their way
  for (const std::uint32_t gpu : {0u, 1u}) {
    const std::vector<recall::Answer> said = desk.answers(gpu);
    REQUIRE(said.size() == 2);
    CHECK(said[0].is_known == 0);
    CHECK(said[1].is_known == 1);
    CHECK(said[1].pattern == said[0].pattern);
    CHECK(said[1].unreported == 0);
  }
  CHECK(desk.counts() == Counts{{recalled, 1}, {first, 1}});
  // The switch's lines have carried the packets of both.
  std::int64_t bytes = 0;
  for (const Row& row : desk.bed.rows(tables::link_use))
    if (row.component == desk.nvswitch) bytes += row.values[2];
  CHECK(bytes == 2 * 2 * 4096);
}

TEST_CASE("what is owed of credits is part of the pattern") {
  // A packet of a megabyte's buffer: no credits are due yet, and the next one meets 4,096 B that are owed.
  Desk desk(1 << 20);
  desk.exchange(nanoseconds(10), 0);
  desk.exchange(microseconds(20), 1);
  desk.bed.run();
  const std::vector<recall::Answer> said = desk.answers(0);
  REQUIRE(said.size() == 2);
  CHECK((said[1].is_known == 0 && said[1].pattern == 1));
  CHECK(desk.counts() == Counts{{first, 2}});
}

TEST_CASE("what is owed makes no difference where senders had enough whatever it was") {
  // Fewer than a quarter of the buffer may be owed, and the credits of a packet may come a moment later.
  constexpr std::uint32_t enough = (1 << 20) / 4 - 1 + 4096;
  for (const auto& [least, outcome] : {std::pair{enough, recalled}, {enough - 1, first}}) {
    Desk desk(1 << 20);
    desk.exchange(nanoseconds(10), 0, true, microseconds(1), least);
    for (const std::uint32_t gpu : {0u, 1u}) desk.come(gpu, microseconds(20), 1);
    desk.bed.run();
    CHECK(desk.counts()[outcome] == (outcome == recalled ? 1 : 2));
    if (outcome == recalled) CHECK(desk.answers(0).back().unreported == 2 * 4096);
  }
}

TEST_CASE("without room for another pattern the next one is simulated") {
  Desk desk(1 << 20, 1);
  desk.exchange(nanoseconds(10), 0);
  for (const std::uint32_t gpu : {0u, 1u}) desk.come(gpu, microseconds(20), 1);
  desk.bed.run();
  CHECK(desk.answers(0).size() == 1);
  CHECK(desk.counts() == Counts{{first, 1}, {full, 1}});
}

TEST_CASE("members are apart if the first begins before it can hear of the last") {
  for (const auto& [late, outcome] : {std::pair{nanoseconds(2799), first}, {nanoseconds(2800), apart}}) {
    Desk desk;
    desk.come(0, nanoseconds(10), 0);
    desk.come(1, nanoseconds(10) + late, 0);  // 100 ns to the switch and as many back, 3 us in all
    desk.bed.run();
    CHECK(desk.counts() == Counts{{outcome, 1}});
  }
}

TEST_CASE("one that comes to the next collective has left the other behind") {
  Desk desk;
  desk.come(0, microseconds(1), 0);
  desk.come(0, microseconds(50), 1);
  desk.come(1, microseconds(90), 0);
  desk.bed.run();
  CHECK(desk.answers(0).empty());
  CHECK(desk.counts() == Counts{{apart, 2}});
}

TEST_CASE("lines that are not at rest make it simulate") {
  Desk told;
  told.come(0, microseconds(1), 0, microseconds(3), false);
  told.come(1, microseconds(1), 0);
  told.bed.run();
  CHECK(told.counts() == Counts{{busy, 1}});
  // A packet for GPU 1 is on the switch's line when both have come.
  Desk seen;
  seen.bed.script(seen.gpus[0], microseconds(1) - SimTime{1}, 0,
                  train_payload(MessageKind::train, EndpointId{0}, EndpointId{1}, {}, 4096, 1));
  for (const std::uint32_t gpu : {0u, 1u}) seen.come(gpu, microseconds(1), 0);
  seen.bed.run();
  CHECK(seen.counts() == Counts{{busy, 1}});
}

TEST_CASE("what a member cannot vouch for is not kept") {
  Desk desk;
  desk.exchange(nanoseconds(10), 0, false);
  for (const std::uint32_t gpu : {0u, 1u}) desk.come(gpu, microseconds(20), 1);
  desk.bed.run();
  CHECK(desk.answers(0).size() == 1);
  CHECK(desk.counts() == Counts{{first, 1}, {unlike, 1}});
}

TEST_CASE("an end so late that another member may have gone on is not kept") {
  // GPU 0 ends after 1 us and may send again 5 us later; the switch hears of the last end 100 ns after it.
  for (const auto& [took, outcome] : {std::pair{nanoseconds(5899), recalled}, {nanoseconds(5900), unlike}}) {
    Desk desk;
    desk.exchange(nanoseconds(10), 0, true, took);
    for (const std::uint32_t gpu : {0u, 1u}) desk.come(gpu, microseconds(20), 1);
    desk.bed.run();
    CHECK(desk.counts() == Counts{{first, 1}, {outcome, 1}});
  }
}
