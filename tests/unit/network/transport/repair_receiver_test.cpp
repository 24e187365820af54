#include "network/transport/repair_receiver.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace lightrail;

namespace {

using Place = RepairReceiver::Place;

NumberedTrain train(std::uint16_t number) {
  return {.number = number,
          .bytes = 100u + number,
          .address = Address(EndpointId{1}, EndpointId{2}, Connection::make(0, 0, 0))};
}

RepairReceiver receiver(LossRepair repair, SimTime interval = SimTime{}) {
  return RepairReceiver({.repair = repair, .error_interval = interval});
}

std::vector<std::uint16_t> numbers(const std::vector<Frame>& frames) {
  std::vector<std::uint16_t> all;
  for (const Frame& frame : frames) all.push_back(as<NumberedTrain>(frame).number);
  return all;
}

}  // namespace

TEST_CASE("what is in order is acknowledged, what comes twice too") {
  RepairReceiver one = receiver(LossRepair::go_back_n);
  for (std::uint16_t k = 0; k < 3; ++k) {
    CHECK(one.place_of(train(k)) == Place::next);
    CHECK(one.take_next(train(k)).empty());
    CHECK(one.acknowledgement(train(k)).number == k + 1);
  }
  CHECK(one.place_of(train(1)) == Place::late);
  const Acknowledgement answer = one.acknowledgement(train(1));
  CHECK(answer.kind == MessageKind::acknowledgement);
  CHECK(answer.number == 3);
  CHECK(answer.address == Address(EndpointId{2}, EndpointId{1}, Connection::make(0, 0, 0)));
}

TEST_CASE("go-back-N complains once of a missing train, or in intervals") {
  for (const std::int64_t interval : {0, 10}) {
    RepairReceiver one = receiver(LossRepair::go_back_n, microseconds(interval));
    CHECK(!one.takes_early());
    CHECK(one.place_of(train(1)) == Place::early);
    const auto first = one.complaint(train(1), microseconds(5));
    REQUIRE(first.has_value());
    CHECK(first->kind == MessageKind::sequence_error);
    CHECK(first->number == 0);
    CHECK(!one.complaint(train(2), microseconds(14)));
    CHECK(one.complaint(train(3), microseconds(15)).has_value() == (interval > 0));
    CHECK(one.take_next(train(0)).empty());
    // Another one is missing.
    CHECK(one.complaint(train(2), microseconds(16))->number == 1);
  }
}

TEST_CASE(
    "with trimming each train is acknowledged by itself, with its mark, and a header is complained of") {
  RepairReceiver one = receiver(LossRepair::trimming);
  CHECK(one.tells_of_trimming());
  CHECK(one.takes_early());
  CHECK(one.place_of(train(2)) == Place::early);
  one.take_early(train(2));
  const auto early = one.complaint(train(2), SimTime{}, true);
  REQUIRE(early.has_value());
  CHECK(early->kind == MessageKind::marked_acknowledgement);
  CHECK(early->number == 2);
  CHECK(one.take_next(train(0)).empty());
  CHECK(one.acknowledgement(train(0)).kind == MessageKind::selective_acknowledgement);
  CHECK(one.acknowledgement(train(0)).number == 0);
  const Acknowledgement notice = one.trim_notice(train(1));
  CHECK(notice.kind == MessageKind::trim_notice);
  CHECK(notice.number == 1);
  CHECK(notice.address == Address(EndpointId{2}, EndpointId{1}, Connection::make(0, 0, 0)));
  CHECK(numbers(one.take_next(train(1))) == std::vector<std::uint16_t>{2});
  CHECK(one.place_of(train(1)) == Place::late);
  CHECK(!receiver(LossRepair::selective_repeat).tells_of_trimming());
}

TEST_CASE("the entropy value of a sending is no part of its number, and comes back with its answer") {
  RepairReceiver one({.repair = LossRepair::trimming, .entropy_values = 4});
  CHECK(one.place_of(train(4 + 3)) == Place::early);
  one.take_early(train(4 + 3));
  CHECK(one.place_of(train(4 + 1)) == Place::late);  // the same, by another way
  CHECK(one.complaint(train(4 + 3), SimTime{})->number == 4 + 3);
  CHECK(one.trim_notice(train(2)).number == 2);
  CHECK(one.place_of(train(2)) == Place::next);
  CHECK(one.take_next(train(2)).size() == 1);
  CHECK(one.acknowledgement(train(2)).number == 2);
  CHECK(one.place_of(train(8)) == Place::next);
}

TEST_CASE("selective repeat keeps what is early until all before it are there") {
  RepairReceiver one = receiver(LossRepair::selective_repeat);
  for (const std::uint16_t k : {std::uint16_t{4}, std::uint16_t{2}, std::uint16_t{1}}) {
    CHECK(one.place_of(train(k)) == Place::early);
    one.take_early(train(k));
    const auto answer = one.complaint(train(k), SimTime{});
    REQUIRE(answer.has_value());
    CHECK(answer->kind == MessageKind::selective_acknowledgement);
    CHECK(answer->number == k);
    CHECK(one.place_of(train(k)) == Place::late);
  }
  CHECK(numbers(one.take_next(train(0))) == std::vector<std::uint16_t>{1, 2});
  CHECK(one.acknowledgement(train(0)).number == 3);
  CHECK(numbers(one.take_next(train(3))) == std::vector<std::uint16_t>{4});
  CHECK(one.place_of(train(5)) == Place::next);
}

TEST_CASE("what is discarded is counted, and the state is saved") {
  RepairReceiver one = receiver(LossRepair::selective_repeat);
  one.take_early(train(2));
  one.discard(train(2));
  one.discard(train(7));
  StateWriter out;
  one.save(out);
  RepairReceiver other = receiver(LossRepair::selective_repeat);
  StateReader in(out.bytes());
  other.load(in);
  CHECK(other.counts(0).trains == 2);
  CHECK(other.counts(0).bytes == 102 + 107);
  CHECK(other.place_of(train(2)) == Place::late);
  CHECK(other.take_next(train(0)).empty());
  CHECK(numbers(other.take_next(train(1))) == std::vector<std::uint16_t>{2});
}

TEST_CASE("numbers go around") {
  RepairReceiver one = receiver(LossRepair::go_back_n);
  for (std::uint32_t k = 0; k < 70'000; ++k) {
    const auto number = static_cast<std::uint16_t>(k & 0xffff);
    REQUIRE(one.place_of(train(number)) == Place::next);
    CHECK(one.take_next(train(number)).empty());
    REQUIRE(one.place_of(train(number)) == Place::late);
  }
}
