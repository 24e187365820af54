#include "app/cli/message_fabrics.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

#include "engine/base/error.hpp"

using namespace lightrail;

namespace {

/// So many NICs in the first of `count` parts, and one in each other.
MessageParts parts_of(std::uint16_t count, std::uint32_t nics) {
  MessageParts parts{count, std::vector<std::uint16_t>(nics), std::vector<SimTime>(count * count)};
  for (std::uint16_t part = 1; part < count; ++part) parts.of_nic.push_back(part);
  return parts;
}

}  // namespace

// Of the numbers of ports, 0xffff is the component itself; each other part takes one.
TEST_CASE("a part of a fabric by messages has as many NICs as a component has ports for") {
  CHECK_NOTHROW(require_ports(parts_of(1, 65'534)));
  CHECK_THROWS_AS(require_ports(parts_of(1, 65'535)), InputErrors);
  CHECK_THROWS_WITH(require_ports(parts_of(1, 70'000)),
                    "messages would join more than 65534 NICs by one part of a fabric");
  CHECK_NOTHROW(require_ports(parts_of(128, 65'407)));
  CHECK_THROWS_WITH(require_ports(parts_of(128, 65'408)),
                    "messages would join more than 65407 NICs by one part of a fabric");
}

TEST_CASE("a fabric by messages weighs what its largest part has") {
  const LeftOutFabric small{0, {}, parts_of(3, 5)}, large{1, {}, parts_of(2, 9)};
  CHECK(most_nics_of_part({small, large}) == 9);
  CHECK(most_nics_of_part({}) == 0);
}
