#include "network/wire/train.hpp"

#include <catch2/catch.hpp>

using namespace lightrail;

TEST_CASE("a train has a packet for every begun MTU, and no more than the field holds") {
  CHECK(packets_in(1, 4096) == 1);
  CHECK(packets_in(4096, 4096) == 1);
  CHECK(packets_in(4097, 4096) == 2);
  CHECK(packets_in(0xffffffff, 256) == max_packets);
  Train train;
  train.packets = max_packets, train.retries = max_retries;
  CHECK(train.packets == max_packets);
  CHECK(train.retries == max_retries);
}

TEST_CASE("what comes back is a train still, a work request or a delegated train is none") {
  using enum MessageKind;
  for (const MessageKind kind : {train, control, lost_train, corrupt_control, reduce, multicast, fold})
    CHECK(Train::carries(kind));
  for (const MessageKind kind : {work_request, delegated_train, bypass_control, returned_train, flow_control})
    CHECK(!Train::carries(kind));
}
