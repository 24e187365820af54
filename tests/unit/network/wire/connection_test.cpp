#include "network/wire/connection.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace lightrail;

TEST_CASE("an address keeps endpoints and connection at their largest values") {
  const EndpointId from{endpoint_mask}, to{endpoint_mask - 1};
  const Connection connection = Connection::make(255, 254, 29);
  const Address address(from, to, connection);
  CHECK(address.from() == from);
  CHECK(address.to() == to);
  CHECK(address.connection() == connection);
  CHECK(connection.group_kind() == 255);
  CHECK(connection.channel() == 254);
  CHECK(connection.phase() == 29);
}

TEST_CASE("a connection of another attempt of its job differs in nothing but that") {
  const Connection first = Connection::make(7, 8, 31);
  CHECK(first.attempt() == 0);
  CHECK(first.in_attempt(0) == first);
  const Connection later = first.in_attempt(Connection::max_attempts - 1);
  CHECK(later.attempt() == 7);
  CHECK(later.group_kind() == 7);
  CHECK(later.channel() == 8);
  CHECK(later.phase() == 31);
  CHECK(later.in_attempt(0) == first);
  CHECK(Address(EndpointId{1}, EndpointId{2}, later).connection() == later);
}

TEST_CASE("flows differ when the sender or the connection differs, not when the receiver does") {
  const auto flow = [](std::uint32_t from, std::uint32_t to, std::uint32_t phase) {
    return Address(EndpointId{from}, EndpointId{to}, Connection::make(1, 2, phase)).flow();
  };
  CHECK(flow(1, 9, 0) != flow(2, 9, 0));
  CHECK(flow(1, 9, 0) != flow(1, 9, 1));
  CHECK(flow(1, 9, 1) == flow(1, 8, 1));
}
