#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/fabrics/graph_xml.hpp"

using namespace lightrail;
using namespace lightrail::test;

// Mathematics: hop counts of the routes equal Floyd and Warshall's shortest paths, and every next switch is
// one nearer.
TEST_CASE("routes of random connected graphs are shortest paths") {
  std::mt19937 random(7);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  for (int round = 0; round < 40; ++round) {
    const int switches = pick(1, 8), nics = pick(2, 10), extra = pick(0, 8);
    std::vector<int> next_port(static_cast<std::size_t>(switches), 0);
    std::vector<std::vector<int>> hops(static_cast<std::size_t>(switches),
                                       std::vector<int>(static_cast<std::size_t>(switches), 1000));
    std::string inner;
    const auto port = [&](int s) { return "s" + std::to_string(s) + ":" + std::to_string(next_port[s]++); };
    for (int s = 0; s < switches; ++s) {
      inner += "<switch name=\"s" + std::to_string(s) + "\" ports=\"64\"/>";
      hops[s][s] = 0;
    }
    const auto join = [&](int a, int b) {
      if (a == b) return;
      inner += wire(port(a), port(b));
      hops[a][b] = hops[b][a] = 1;
    };
    for (int s = 1; s < switches; ++s) join(pick(0, s - 1), s);
    for (int e = 0; e < extra; ++e) join(pick(0, switches - 1), pick(0, switches - 1));
    std::vector<int> home;
    for (int n = 0; n < nics; ++n) {
      home.push_back(pick(0, switches - 1));
      inner += node(n) + wire("n" + std::to_string(n) + ":0", port(home.back()));
    }
    for (int k = 0; k < switches; ++k)
      for (int i = 0; i < switches; ++i)
        for (int j = 0; j < switches; ++j) hops[i][j] = std::min(hops[i][j], hops[i][k] + hops[k][j]);

    const Model model = system(graph(inner));
    expect_sound(model);
    const int longest = static_cast<int>(expect_all_reachable(model, false));
    int expected = 0;
    for (int a : home)
      for (int b : home) expected = std::max(expected, hops[a][b] + 1);
    CHECK(longest == expected);
    const auto& routing = *model.resource<RoutingTables>();
    const auto& book = *model.resource<AddressBook>();
    for (int s = 0; s < switches; ++s)
      for (int n = 0; n < nics; ++n) {
        const auto ports = routing.of(find(model, "s" + std::to_string(s))).candidates(book.endpoints[n].lid);
        REQUIRE(ports.count > 0);
        for (std::uint32_t i = 0; i < ports.count; ++i) {
          const std::string next =
              model.component_name(far_end(model, find(model, "s" + std::to_string(s)), ports[i]));
          if (s == home[n])
            CHECK(next == "n" + std::to_string(n));
          else
            CHECK(hops[std::stoi(next.substr(1))][home[n]] == hops[s][home[n]] - 1);
        }
      }
  }
}
