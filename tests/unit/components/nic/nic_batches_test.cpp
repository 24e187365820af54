// What a NIC tells a GPU of the trains that come in for it, where that hears of batches.
#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "components/nic/nic.hpp"
#include "network/health/health_table.hpp"
#include "network/port/tables.hpp"
#include "network/transport/arrival_reports.hpp"
#include "network/transport/congestion_control.hpp"
#include "network/transport/dcqcn.hpp"
#include "network/transport/discards.hpp"
#include "network/transport/nic_returns.hpp"
#include "network/wire/counted_train.hpp"
#include "tests/support/network_bed.hpp"
#include "tests/support/wire_messages.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// Two GPUs with a NIC each and a cable between these; packets of 4 KiB, `grain` of them a train.
struct Pair {
  NetworkBed bed;
  ComponentId sender = bed.add_endpoint(0, 0), receiver = bed.add_endpoint(1, 0);
  std::shared_ptr<NicSpec> spec = std::make_shared<NicSpec>();

  explicit Pair(bool hears = true, bool is_asked_for = true, bool can_fail = false, std::uint32_t grain = 1) {
    if (hears) bed.hear_batches(receiver);
    const ComponentId nic0 = bed.add(nic_kind(), spec, "nic"), nic1 = bed.add(nic_kind(), spec, "nic");
    const auto pcie = bed.link_class(nanoseconds(200), BitRate{504'000'000'000}, 4096, grain);
    const auto fibre = bed.link_class(nanoseconds(100), BitRate{400'000'000'000}, 4096, grain);
    bed.connect(sender, 1, nic0, 1, pcie);
    bed.connect(receiver, 1, nic1, 1, pcie);
    const LinkId cable = bed.connect(nic0, 0, nic1, 0, fibre);
    if (can_fail) bed.set_health(HealthTable({}, {{cable, {{milliseconds(1), milliseconds(2)}}}}));
    bed.record(microseconds(1));
    if (is_asked_for) bed.finish_model().add(std::make_shared<const ToldByBatches>());
  }
  void post(std::uint32_t packets, bool is_grown = false) {
    bed.script(
        sender, SimTime{0}, 1,
        to_payload(WorkRequest{.is_grown = is_grown,
                               .bytes = 4096 * packets,
                               .address = Address(EndpointId{0}, EndpointId{1}, Connection::make(0, 0, 0))}));
  }
  /// "train 4096", "rest 8192 4096": what the receiver was told.
  [[nodiscard]] std::vector<std::string> told() const {
    std::vector<std::string> all;
    for (const Arrival& each : bed.arrivals(receiver)) {
      if (kind_of(each.payload) == MessageKind::batch_rest) {
        const auto rest = as<BatchRest>(each.payload);
        all.push_back("rest " + std::to_string(rest.bytes) + " " + std::to_string(rest.last_bytes()));
      } else {
        all.push_back("train " + std::to_string(frame_in(each.payload).bytes));
      }
    }
    return all;
  }
};

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("a GPU is told of a batch's first train, and of the rest at the head of the last") {
  Pair batches, trains(false);
  for (Pair* each : {&batches, &trains}) {
    each->post(10);
    each->bed.run();
  }
  CHECK(batches.told() == Words{"train 4096", "rest 36864 4096"});
  CHECK(trains.told() == Words(10, "train 4096"));
  const auto& each = trains.bed.arrivals(trains.receiver);
  CHECK(batches.bed.arrivals(batches.receiver)[0].time == each[0].time);
  CHECK(batches.bed.arrivals(batches.receiver)[1].time == each[9].time);
  CHECK(batches.bed.events() == trains.bed.events() - 8);
  for (const TableId table : {tables::link_use, tables::queue}) {  // lines carry what they carried
    const auto &rows = batches.bed.rows(table), &of_trains = trains.bed.rows(table);
    REQUIRE(rows.size() == of_trains.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CHECK(rows[i].component == of_trains[i].component);
      CHECK(rows[i].values == of_trains[i].values);
    }
  }
}

TEST_CASE("long messages are several batches, of 255 trains at most") {
  Pair pair;
  pair.post(300);
  pair.bed.run();
  CHECK(pair.told() == Words{"train 4096", "rest 1040384 4096", "train 4096", "rest 180224 4096"});
}

TEST_CASE(
    "each train is told of where two save nothing, and where a request has grown from several messages") {
  Pair two, grown;
  two.post(2);
  two.bed.run();
  CHECK(two.told() == Words(2, "train 4096"));
  grown.post(5, true);
  grown.bed.run();
  CHECK(grown.told() == Words(5, "train 4096"));
}

TEST_CASE("a batch that has come in part goes on after saving and loading") {
  Pair whole;
  whole.post(10);
  whole.bed.run();
  const SimTime end = whole.bed.end();
  for (int k = 1; k < 12; ++k) {
    Pair halted;
    halted.post(10);
    halted.bed.run(SimTime{end.count() * k / 12});
    CHECK(halted.told() == whole.told());
    CHECK(halted.bed.end() == end);
  }
}

TEST_CASE("trains are not counted where it is not asked for") {
  Pair pair(true, false);
  pair.post(5);
  pair.bed.run();
  CHECK(pair.told() == Words(5, "train 4096"));
}

TEST_CASE("what a NIC hands on as a train has its packets again, whoever it is for") {
  for (const bool hears : {true, false}) {
    Pair pair(hears, true, false, 4);
    pair.post(35);
    pair.bed.run();
    const auto trains = pair.bed.trains(pair.receiver);
    REQUIRE(trains.size() == (hears ? 1 : 9));
    for (const Arrival& each : trains) {
      const auto train = as<Train>(each.payload);
      CHECK(train.packets == train.bytes / 4096);
      CHECK(train.retries == 0);
    }
  }
}

TEST_CASE("nor where marks slow flows down, links or jobs fail, trains come back, or on Ethernet") {
  Pair marked, paced, failing(true, true, true), restarted, returned, paused;
  marked.bed.finish_model().add(
      std::make_shared<const CongestionControl>(CongestionSpec{}, std::vector<RateEntry>(1)));
  paced.bed.finish_model().add(std::make_shared<const Dcqcn>());
  restarted.bed.finish_model().add(std::make_shared<const RestartsJobs>());
  returned.bed.finish_model().add(std::make_shared<const NicReturns>());
  paused.spec->flow_control = NicFlowControl::pauses;
  paused.spec->settle();
  for (Pair* each : {&marked, &paced, &failing, &restarted, &returned, &paused}) {
    each->post(5);
    each->bed.run();
    CHECK(each->told() == Words(5, "train 4096"));
  }
}
