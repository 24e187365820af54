#include "network/wire/delegated_train.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

namespace {

const Address address{EndpointId{3}, EndpointId{9}, Connection::make(1, 2, 3)};

}  // namespace

TEST_CASE("a train and a control message have a form for a delegate each, by NVLink and past it") {
  using enum MessageKind;
  CHECK(delegated_kind(train) == delegated_train);
  CHECK(delegated_kind(control) == delegated_control);
  CHECK(bypass_kind(train) == bypass_train);
  CHECK(bypass_kind(control) == bypass_control);
  for (const MessageKind plain : {train, control}) {
    CHECK(plain_kind(delegated_kind(plain)) == plain);
    CHECK(plain_kind(bypass_kind(plain)) == plain);
    CHECK(plain_kind(ReturnedTrain::of({.kind = plain}).kind) == plain);
  }
}

TEST_CASE("at its delegate a train is what it was") {
  const DelegatedTrain delegated{
      .kind = MessageKind::bypass_control, .lane = 2, .via = 5, .bytes = 77, .address = address};
  const Train train = plain_train(delegated);
  CHECK(train.kind == MessageKind::control);
  CHECK(train.lane == 2);
  CHECK(train.retries == 0);
  CHECK(train.bytes == 77);
  CHECK(train.address == address);
}

TEST_CASE("what comes back from the NIC keeps how often it was sent, and is not given up by itself") {
  const Train sent{
      .kind = MessageKind::train, .lane = 1, .packets = 16, .retries = 6, .bytes = 9, .address = address};
  const ReturnedTrain back = ReturnedTrain::of(sent);
  CHECK(back.kind == MessageKind::returned_train);
  CHECK(back.is_given_up == 0);
  CHECK(plain_train(back).retries == 6);
  CHECK(plain_train(back).lane == 1);
  CHECK(plain_train(back).address == address);
}
