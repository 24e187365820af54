#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "components/controller/phase_schedule.hpp"
#include "components/controller/port_map.hpp"
#include "network/wire/region_control.hpp"
#include "tests/unit/components/controller/random_demand.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

/// From each of n servers to those `steps` further round the ring: so many bytes.
DemandMatrix ring(std::uint32_t n, const std::vector<std::pair<std::uint32_t, std::int64_t>>& steps) {
  DemandMatrix demand(n);
  for (std::uint32_t a = 0; a < n; ++a)
    for (const auto& [step, bytes] : steps) demand.at(a, (a + step) % n) = bytes;
  return demand;
}

}  // namespace

TEST_CASE("a schedule carries the bytes of every pair that has circuits, and no server has more than ports") {
  std::minstd_rand random(23);
  bool some_left = false;
  for (int k = 0; k < 200; ++k) {
    const auto n = static_cast<std::uint32_t>(2 + random() % 7);
    Ports ports(n);
    for (std::uint32_t& own : ports) own = static_cast<std::uint32_t>(random() % 4);
    const DemandMatrix demand = random_demand(random, n);
    const auto all = schedules(demand, ports, 5);
    REQUIRE(all.size() == 5);
    for (std::size_t most = 0; most < all.size(); ++most) {
      CAPTURE(k, n, most);
      CHECK(all[most].size() <= most + 1);
      const DemandMatrix rest = left_over(demand, all[most]);
      for (std::uint32_t a = 0; a < n; ++a)
        for (std::uint32_t b = 0; b < n; ++b) {
          std::uint32_t circuits = 0;
          for (const CircuitPhase& phase : all[most]) {
            circuits += phase.circuits.at(a, b);
            CHECK((phase.bytes.at(a, b) == 0 || phase.circuits.at(a, b) > 0));
            CHECK(phase.bytes.at(a, b) >= 0);
          }
          CHECK(rest.at(a, b) == (circuits > 0 ? 0 : demand.at(a, b)));
          CHECK((circuits == 0 || (a != b && demand.at(a, b) > 0)));
          some_left = some_left || rest.at(a, b) > 0;
        }
      for (const CircuitPhase& phase : all[most])
        for (std::uint32_t a = 0; a < n; ++a) {
          std::uint32_t sends = 0, hears = 0;
          for (std::uint32_t b = 0; b < n; ++b)
            sends += phase.circuits.at(a, b), hears += phase.circuits.at(b, a);
          CHECK((sends <= ports[a] && hears <= ports[a]));
        }
    }
  }
  CHECK(some_left);
}

TEST_CASE(
    "with enough phases of one port a schedule takes as long as the busiest server and leaves nothing") {
  // Birkhoff and von Neumann: weights add up to the largest sum of a row or column; n^2 permutations are
  // enough. A pair carries no more than its permutation's weight, rounded up.
  std::minstd_rand random(29);
  for (int k = 0; k < 40; ++k) {
    const auto n = static_cast<std::uint32_t>(2 + random() % 4);
    const DemandMatrix demand = random_demand(random, n);
    const PhaseSchedule all = schedules(demand, Ports(n, 1), n * n).back();
    CHECK(left_over(demand, all) == DemandMatrix(n));
    std::int64_t busiest = 0, sum = 0;
    for (std::uint32_t a = 0; a < n; ++a) {
      std::int64_t out = 0, in = 0;
      for (std::uint32_t b = 0; b < n; ++b) out += demand.at(a, b), in += demand.at(b, a);
      busiest = std::max({busiest, out, in});
    }
    for (const CircuitPhase& phase : all) sum += longest(phase);
    CHECK(sum >= busiest);
    CHECK(sum <= busiest + static_cast<std::int64_t>(all.size()));
  }
}

TEST_CASE("the heaviest permutation comes first, and those of two ports share the phases") {
  // By hand: 30 bytes one step round, 20 two steps, 10 three steps.
  const DemandMatrix demand = ring(4, {{1, 30}, {2, 20}, {3, 10}});
  const auto one = schedules(demand, Ports(4, 1), 3);
  REQUIRE(one[2].size() == 3);
  CHECK(one[2][0].bytes == ring(4, {{1, 30}}));
  CHECK(one[2][1].bytes == ring(4, {{2, 20}}));
  CHECK(one[2][2].bytes == ring(4, {{3, 10}}));
  CHECK(longest(one[2][0]) == 30);
  CHECK(left_over(demand, one[0]) == ring(4, {{2, 20}, {3, 10}}));
  // Two ports, two phases: layers of 20, 15, 15 and 10. The lighter half of the first permutation comes
  // second.
  const auto two = schedules(demand, Ports(4, 2), 2);
  REQUIRE(two[1].size() == 2);
  CHECK(two[1][0].bytes == ring(4, {{2, 20}, {1, 15}}));
  CHECK(two[1][1].bytes == ring(4, {{1, 15}, {3, 10}}));
  CHECK(longest(two[1][0]) + longest(two[1][1]) == 35);
  CHECK(later_part(two[1], 0, 0, 1) == region_control::Share::whole / 2);
  CHECK(later_part(two[1], 0, 0, 2) == 0);
  CHECK(later_part(two[1], 0, 0, 3) == region_control::Share::whole);
  CHECK(later_part(two[1], 1, 0, 1) == 0);
  // One phase cannot hold the third; two leave nothing.
  CHECK(shortest(two, demand).size() == 2);
  CHECK(duration(two[1][0], BitRate{8'000'000'000'000}) == picoseconds(20));
}

// One circuit of 8 Tb/s carries a byte a picosecond, packet NICs of 4 Tb/s one in two. Two servers swap 300 B
// in one phase of 300 ps: packets take a third, 100 B in 200 ps. Each change of 150 ps lets them take half.
TEST_CASE("packet NICs take as much beside the phases as they carry meanwhile, after what is left over") {
  const BitRate circuit{8'000'000'000'000}, packet{4'000'000'000'000};
  DemandMatrix demand(2);
  demand.at(0, 1) = demand.at(1, 0) = 300;
  PhaseSchedule phases = schedules(demand, Ports(2, 1), 1)[0];
  CHECK(part_beside(demand, phases, circuit, packet, SimTime{0}) == region_control::Share::whole / 3);
  CHECK(part_beside(demand, phases, circuit, packet, picoseconds(150)) == region_control::Share::whole / 2);
  CHECK(part_beside(demand, phases, circuit, packet, picoseconds(10'000)) == region_control::Share::whole);
  take_off(phases, region_control::Share::whole / 2);
  CHECK(longest(phases[0]) == 150);
  take_off(phases,
           region_control::Share::whole / 3);  // a little less than a third: nothing is promised twice
  CHECK(longest(phases[0]) == 101);
  // One port of three servers: 300 B are left to packet NICs for 600 ps, longer than the phase takes.
  const DemandMatrix more = ring(3, {{1, 400}, {2, 300}});
  const PhaseSchedule one = schedules(more, Ports(3, 1), 1)[0];
  CHECK(part_beside(more, one, circuit, packet, SimTime{0}) == 0);
  CHECK(part_beside(more, one, circuit, packet, picoseconds(320)) == region_control::Share::whole / 10);
}

TEST_CASE("of schedules that take as long the one of fewest phases is the shortest") {
  // One permutation over two ports: one phase, whatever is allowed. Three equal ones over two ports: two
  // phases of 2 and 1 take as long as three of 1 each.
  CHECK(shortest(schedules(ring(4, {{1, 30}}), Ports(4, 2), 8), ring(4, {{1, 30}})).size() == 1);
  const DemandMatrix even = ring(4, {{1, 30}, {2, 30}, {3, 30}});
  const auto all = schedules(even, Ports(4, 2), 8);
  CHECK(shortest(all, even).size() == 2);
  CHECK(all.back().size() == 3);
  CHECK(shortest(schedules(DemandMatrix(4), Ports(4, 2), 8), DemandMatrix(4)).empty());
  CHECK(shortest(schedules(even, Ports(4, 0), 8), even).empty());
}

TEST_CASE(
    "Birkhoff's permutations come heaviest first, and the first ones are the same however many there are") {
  std::minstd_rand random(31);
  for (int k = 0; k < 20; ++k) {
    const auto n = static_cast<std::uint32_t>(2 + random() % 6);
    std::vector<std::int64_t> matrix(std::size_t{n} * n);
    for (auto& entry : matrix) entry = static_cast<std::int64_t>(random() % 1000);
    fill_up(n, matrix);
    const auto all = birkhoff(n, matrix), some = birkhoff(n, matrix, 3);
    REQUIRE(some.size() == std::min<std::size_t>(3, all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i > 0) CHECK(all[i].weight <= all[i - 1].weight);
      if (i < some.size()) CHECK((some[i].to == all[i].to && some[i].weight == all[i].weight));
    }
  }
}
