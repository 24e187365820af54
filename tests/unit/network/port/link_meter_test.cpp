#include <catch2/catch.hpp>

#include <cstdint>
#include <span>
#include <vector>

#include "network/port/link_meter.hpp"

using namespace lightrail;

namespace {

struct Sink final : EventSink, RowSink {
  std::vector<std::vector<std::int64_t>> rows;
  void push(SimTime, std::uint32_t, Payload, const OutLink&) override {}
  void append(TableId, ComponentId, SimTime, std::span<const std::int64_t> row) override {
    rows.emplace_back(row.begin(), row.end());
  }
};

}  // namespace

TEST_CASE("a link meter writes a row for every interval that carried something") {
  Sink sink;
  OutLink self;
  Context context(ComponentId{0}, SimTime{0}, {}, self, sink, sink);
  MeterSettings settings{SimTime{100}, true};
  LinkMeter meter(LinkId{6});
  meter.add(context, settings, SimTime{10}, SimTime{20}, 1000);
  meter.add(context, settings, SimTime{90}, SimTime{220}, 5000);  // until 310
  CHECK(sink.rows.size() == 3);
  meter.add(context, settings, SimTime{700}, SimTime{5}, 7);
  meter.finish(context, settings);
  std::vector<std::vector<std::int64_t>> expected = {
      {6, 0, 6000, 30}, {6, 1, 0, 100}, {6, 2, 0, 100}, {6, 3, 0, 10}, {6, 7, 7, 5}};
  CHECK(sink.rows == expected);
  CHECK(meter.total_bytes() == 6007);
}

TEST_CASE("a link meter that is not recorded keeps its totals and writes nothing") {
  Sink sink;
  OutLink self;
  Context context(ComponentId{0}, SimTime{0}, {}, self, sink, sink);
  LinkMeter meter(LinkId{0});
  meter.add(context, {}, SimTime{10}, SimTime{20}, 1000);
  meter.finish(context, {});
  CHECK(sink.rows.empty());
  CHECK(meter.total_bytes() == 1000);
}

TEST_CASE("one interval that never ends takes everything") {
  Sink sink;
  OutLink self;
  Context context(ComponentId{0}, SimTime{0}, {}, self, sink, sink);
  MeterSettings settings{time_never, true};
  LinkMeter meter(LinkId{0});
  meter.add(context, settings, milliseconds(10), SimTime{20}, 1000);
  meter.finish(context, settings);
  CHECK(sink.rows == std::vector<std::vector<std::int64_t>>{{0, 0, 1000, 20}});
}

TEST_CASE("a run of trains counts as the trains one by one, wherever intervals end") {
  for (const int interval : {40, 100, 250, 1000, 1'000'000})
    for (const int period : {30, 35, 90, 400}) {
      Sink of_trains, of_run;
      OutLink self;
      Context one_by_one(ComponentId{0}, SimTime{0}, {}, self, of_trains, of_trains);
      Context at_once(ComponentId{0}, SimTime{0}, {}, self, of_run, of_run);
      MeterSettings settings{SimTime{interval}, true};
      LinkMeter trains(LinkId{1}), run(LinkId{1});
      for (LinkMeter* meter : {&trains, &run})
        meter->add(meter == &trains ? one_by_one : at_once, settings, SimTime{7}, SimTime{5}, 1);
      for (int i = 0; i < 23; ++i)
        trains.add(one_by_one, settings, SimTime{60 + period * i}, SimTime{30}, 4096);
      run.add_run(at_once, settings, SimTime{60}, SimTime{period}, SimTime{30}, 4096, 23);
      trains.finish(one_by_one, settings), run.finish(at_once, settings);
      CHECK(of_trains.rows == of_run.rows);
      CHECK(trains.total_bytes() == run.total_bytes());
    }
}

TEST_CASE("a run of one train has no period, and one that is not recorded keeps its bytes") {
  Sink sink;
  OutLink self;
  Context context(ComponentId{0}, SimTime{0}, {}, self, sink, sink);
  LinkMeter meter(LinkId{0});
  meter.add_run(context, {SimTime{100}, true}, SimTime{90}, SimTime{0}, SimTime{20}, 1000, 1);
  meter.finish(context, {SimTime{100}, true});
  CHECK(sink.rows == std::vector<std::vector<std::int64_t>>{{0, 0, 1000, 10}, {0, 1, 0, 10}});
  LinkMeter silent(LinkId{0});
  silent.add_run(context, {}, SimTime{90}, SimTime{20}, SimTime{20}, 1000, 3);
  CHECK(silent.total_bytes() == 3000);
}
