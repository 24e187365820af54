#include "app/create/network_parts.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/scenario/catalogue.hpp"

namespace lightrail {

TEST_CASE("for every rate of NICs the catalogue has the network's parts") {
  const std::vector<std::string> entries = Catalogue("configs").entries();
  const auto exists = [&](const std::string& entry) {
    return std::find(entries.begin(), entries.end(), entry) != entries.end();
  };
  for (const std::int64_t gigabits : {100, 200, 400, 800}) {
    CAPTURE(gigabits);
    const NetworkParts parts = network_parts(BitRate{gigabits * 1'000'000'000}, false);
    CHECK(parts.switch_element == "switch");
    CHECK(parts.nic.empty());
    for (const std::string& entry : {parts.switch_entry, parts.host_link, parts.trunk_link})
      CHECK(exists(entry));
  }
  const NetworkParts ethernet = network_parts(BitRate{400'000'000'000}, true);
  CHECK(ethernet.switch_element == "ethernet-switch");
  for (const std::string& entry :
       {ethernet.nic, ethernet.switch_entry, ethernet.host_link, ethernet.trunk_link})
    CHECK(exists(entry));
}

TEST_CASE("a rate without parts is refused with those that have some") {
  const auto problem = [](std::int64_t rate, bool is_ethernet) -> std::string {
    try {
      static_cast<void>(network_parts(BitRate{rate}, is_ethernet));
    } catch (const InputErrors& errors) {
      return errors.what();
    }
    return "";
  };
  CHECK(problem(200'000'000'000, true) ==
        "new: the catalogue has no switches and cables of Ethernet for NICs of 200 Gb/s (there are those for "
        "400 Gb/s)");
  CHECK(
      problem(50'000'000'000, false) ==
      "new: the catalogue has no switches and cables of InfiniBand for NICs of 50 Gb/s (there are those for "
      "100 Gb/s, 200 Gb/s, 400 Gb/s, 800 Gb/s)");
}

}  // namespace lightrail
