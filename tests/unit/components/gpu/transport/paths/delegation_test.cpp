#include "components/gpu/transport/paths/delegation.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

#include "engine/model/model.hpp"

using namespace lightrail;

TEST_CASE("every packet NIC of a server is a way, however many there are") {
  const std::uint16_t nics = 32;
  Regions regions;
  regions.regions.resize(1);
  regions.regions[0].servers = {0, 1};
  regions.place_of_server = {{0, 0}, {0, 1}};
  AddressBook book;
  for (std::uint32_t server : {0u, 1u})
    for (std::uint16_t g = 0; g < nics; ++g) book.endpoints.push_back({server, Lid{}, g, g});
  book.gpu_count = 2u * nics;
  for (std::uint16_t n = 0; n < nics; ++n) {
    regions.packet_nics.push_back(n);
    regions.gpu_of_nic.push_back(n);
  }
  const Model model;
  const ComponentRecord record;
  const Spec spec;
  const Delegation delegation({ComponentId{0}, record, spec, model}, regions, book, EndpointId{0});
  const auto ways = delegation.ways(EndpointId{nics}, false);
  REQUIRE(ways.size() == nics);
  for (std::uint16_t n = 0; n < nics; ++n) CHECK(ways[n] == n);
}
