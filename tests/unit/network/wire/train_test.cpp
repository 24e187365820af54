#include <catch2/catch.hpp>

#include "network/wire/train.hpp"

using namespace lightrail;

TEST_CASE("the addresses of a train survive the packing at their largest values") {
  EndpointId from{endpoint_mask}, to{endpoint_mask - 1};
  Connection connection = Connection::make(255, 254, 253);
  Payload p = make_wire(WireKind::control, from, to, connection, 0xffffffff, 16, 3);
  CHECK(kind_of(p) == WireKind::control);
  CHECK(from_of(p) == from);
  CHECK(to_of(p) == to);
  CHECK(connection_of(p) == connection);
  CHECK(connection.group_kind() == 255);
  CHECK(connection.channel() == 254);
  CHECK(connection.phase() == 253);
  CHECK(p.count == 16);
  CHECK(p.lane == 3);
}

TEST_CASE("flows differ when the sender or the connection differs") {
  auto key = [](std::uint32_t from, std::uint32_t phase) {
    return flow_key(
        make_wire(WireKind::train, EndpointId{from}, EndpointId{9}, Connection::make(1, 2, phase), 1, 1));
  };
  CHECK(key(1, 0) != key(2, 0));
  CHECK(key(1, 0) != key(1, 1));
  CHECK(key(1, 1) == key(1, 1));
}
