#include "network/wire/address_book.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <initializer_list>
#include <utility>

using namespace lightrail;

TEST_CASE("a GPU with several NICs has an address for each, behind all devices") {
  AddressBook book;
  for (std::uint32_t e = 0; e < 4; ++e) {
    book.endpoints.push_back({e, Lid{e}, 0, 0});
    book.component_of.push_back(ComponentId{10 + e});
  }
  book.gpu_count = 3;  // endpoint 3 is a host
  CHECK(!book.has_nic_addresses());
  CHECK(book.nics(EndpointId{1}) == 1);
  CHECK(book.address(EndpointId{1}, 0) == EndpointId{1});

  for (const std::uint16_t nic : std::initializer_list<std::uint16_t>{0, 1, 2})
    book.add_nic_address(EndpointId{1}, {1, Lid{20u + nic}, 0, nic});
  for (const std::uint16_t nic : std::initializer_list<std::uint16_t>{0, 1})
    book.add_nic_address(EndpointId{2}, {2, Lid{30u + nic}, 0, nic});
  CHECK(book.has_nic_addresses());
  CHECK(book.nics(EndpointId{0}) == 1);
  CHECK(book.nics(EndpointId{1}) == 3);
  CHECK(book.nics(EndpointId{2}) == 2);
  CHECK(book.nics(EndpointId{3}) == 1);
  CHECK(book.address(EndpointId{1}, 2) == EndpointId{6});
  CHECK(book.address(EndpointId{2}, 0) == EndpointId{7});
  CHECK(book[EndpointId{8}].lid == Lid{31});
  CHECK(book.device(EndpointId{6}) == EndpointId{1});
  CHECK(book.device(EndpointId{7}) == EndpointId{2});
  CHECK(book.device(EndpointId{3}) == EndpointId{3});
  CHECK(!book.is_nic_address(EndpointId{3}));
  CHECK(book.is_nic_address(EndpointId{4}));
  CHECK(book.component_of[8] == ComponentId{12});
}

TEST_CASE("GPUs of a server are neighbours, and a host behind them is none of them") {
  AddressBook book;
  for (const std::uint32_t server : {0u, 0u, 1u, 1u, 1u, 2u, 2u})
    book.endpoints.push_back({server, Lid{}, 0, 0});
  book.gpu_count = 6;  // the last one is the host of server 2
  using Span = std::pair<std::uint32_t, std::uint32_t>;
  CHECK(book.gpus_of_server(EndpointId{0}) == Span{0, 2});
  CHECK(book.gpus_of_server(EndpointId{3}) == Span{2, 5});
  CHECK(book.gpus_of_server(EndpointId{5}) == Span{5, 6});
}
