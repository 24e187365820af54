#include "engine/model/event_batch.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

using namespace lightrail;

namespace {

constexpr LinkId self_link{100};

Event event_at(std::int64_t time, std::uint32_t link, std::uint32_t tie) {
  return {SimTime{time}, LinkId{link}, tie, {}};
}

/// As an engine does within a slice: what the component sends itself before the slice's end goes to `own`.
struct Slice final : EventSink, RowSink {
  explicit Slice(std::vector<Event> events, SimTime slice_end = time_never) : end(slice_end) {
    self.id = self_link;
    for (const Event& event : events) known.push_back({event, 0, 7, 0});
  }
  void push(SimTime time, std::uint32_t tie, Payload payload, const OutLink& link) override {
    if (time < end)
      own.push({time, link.id, tie, payload});
    else
      ++later;
  }
  void append(TableId, ComponentId, SimTime, std::span<const std::int64_t>) override {}
  EventBatch batch() { return EventBatch(context, known, own, hash); }

  SimTime end;
  std::vector<Delivery> known;
  OwnEvents own;
  OutLink self{};
  Context context{ComponentId{0}, SimTime{0}, {}, self, *this, *this};
  std::uint64_t hash = 0;
  int later = 0;
};

using Seen = std::tuple<std::int64_t, std::uint32_t, std::uint32_t>;  // time, link, tie

Seen seen(const EventBatch& batch) {
  return {batch.event().time.count(), batch.event().link.value, batch.event().tie};
}

}  // namespace

TEST_CASE("own events come out by time, then link, then tie, whatever the order they went in") {
  OwnEvents own;
  for (const Event& event : {event_at(30, 5, 0), event_at(10, 5, 3), event_at(10, 5, 1), event_at(20, 5, 2)})
    own.push(event);
  std::vector<std::uint32_t> ties;
  while (!own.empty()) {
    const std::uint32_t front = own.front().tie;
    CHECK(own.pop().tie == front);
    ties.push_back(front);
  }
  CHECK(ties == std::vector<std::uint32_t>{1, 3, 2, 0});
  own.push(event_at(1, 1, 1));
  own.clear();
  CHECK(own.empty());
}

// At 10 the component wakes itself at 15, before the next known event, and at 30, beside one: links 5 and 200
// stand before and after its own link 100. At 15 it wakes itself at once, 15 again.
TEST_CASE("what a component sends itself in a slice comes between the events that were known") {
  Slice slice({event_at(10, 5, 0), event_at(20, 5, 1), event_at(30, 5, 2), event_at(30, 200, 0)});
  EventBatch batch = slice.batch();
  std::vector<Seen> all;
  std::vector<PortIndex> ports;
  while (batch.next()) {
    all.push_back(seen(batch));
    ports.push_back(batch.port());
    CHECK(batch.context().now() == batch.event().time);
    if (all.size() == 1) {
      batch.context().wake(SimTime{30}, {});
      batch.context().wake(SimTime{15}, {});
    }
    if (all.size() == 2) batch.context().wake(batch.context().now(), {});
  }
  CHECK(all ==
        std::vector<Seen>{
            {10, 5, 0}, {15, 100, 1}, {15, 100, 2}, {20, 5, 1}, {30, 5, 2}, {30, 100, 0}, {30, 200, 0}});
  CHECK(ports == std::vector<PortIndex>{7, self_port, self_port, 7, 7, self_port, 7});
  CHECK(batch.handled() == 7);
}

TEST_CASE("the loop over a batch goes through the same events, with the same hash, as one by one") {
  const std::vector<Event> known = {event_at(10, 5, 0), event_at(20, 5, 1), event_at(30, 200, 0)};
  Slice one_by_one(known), at_once(known);
  const auto react = [](std::size_t handled, Context& context) {
    if (handled < 3) context.wake(context.now() + SimTime{10}, {});
  };
  std::vector<Seen> all, again;
  EventBatch steps = one_by_one.batch();
  while (steps.next()) {
    all.push_back(seen(steps));
    react(all.size(), steps.context());
  }
  EventBatch loop = at_once.batch();
  loop.for_each([&](const Event& event, PortIndex port, Context& context) {
    CHECK(port == (event.link == self_link ? self_port : 7));
    CHECK(context.now() == event.time);
    again.emplace_back(event.time.count(), event.link.value, event.tie);
    react(again.size(), context);
  });
  CHECK(again == all);
  CHECK(at_once.hash == one_by_one.hash);
  CHECK(loop.handled() == steps.handled());
  CHECK(loop.ahead().empty());
}

TEST_CASE("a batch goes on with own events after the last known one, up to the end of the slice") {
  Slice slice({event_at(10, 5, 0)}, SimTime{50});
  EventBatch batch = slice.batch();
  while (batch.next()) batch.context().wake(batch.context().now() + SimTime{10}, {});
  CHECK(batch.handled() == 4);  // at 10, 20, 30, 40
  CHECK(slice.later == 1);      // at 50
  CHECK(slice.own.empty());
}

TEST_CASE("the hash of a batch is that of its events one by one in their order") {
  Slice slice({event_at(10, 5, 0), event_at(30, 5, 1)});
  EventBatch batch = slice.batch();
  std::uint64_t expected = 0;
  for (int i = 0; batch.next(); ++i) {
    expected = extend_hash(expected, batch.event());
    if (i == 0) batch.context().wake(SimTime{20}, {});
  }
  CHECK(batch.handled() == 3);
  CHECK(slice.hash == expected);
}

TEST_CASE("known events still to come can be looked at ahead") {
  Slice slice({event_at(10, 5, 0), event_at(20, 5, 1)});
  EventBatch batch = slice.batch();
  CHECK(batch.ahead().size() == 2);
  REQUIRE(batch.next());
  CHECK(batch.ahead().size() == 1);
  CHECK(batch.ahead().front().event.tie == 1);
}

// Of events at 10, 20, 20 and 30 those marked are idle: what is left of the batch's time is the last other
// one.
TEST_CASE("a batch's work ends with its last event that is no idle wake") {
  const auto end_of_work = [](std::vector<bool> idle) {
    Slice slice({event_at(10, 5, 0), event_at(20, 5, 1), event_at(20, 5, 2), event_at(30, 5, 3)});
    EventBatch batch = slice.batch();
    for (const bool is_idle : idle) {
      REQUIRE(batch.next());
      CHECK(batch.context().now() == batch.event().time);
      if (is_idle) batch.context().count_as_idle();
    }
    return batch.context().now().count();
  };
  CHECK(end_of_work({false, false, false, false}) == 30);
  CHECK(end_of_work({false, false, false, true}) == 20);
  CHECK(end_of_work({false, false, true, true}) == 20);
  CHECK(end_of_work({false, true, true, true}) == 10);
  CHECK(end_of_work({true, true, true, false}) == 30);
  CHECK(end_of_work({true, true, true, true}) == 0);
}
