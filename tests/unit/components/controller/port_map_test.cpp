#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <vector>

#include "components/controller/phase_schedule.hpp"
#include "components/controller/port_map.hpp"
#include "tests/unit/components/controller/random_demand.hpp"

using namespace lightrail;
using namespace lightrail::test;

namespace {

using Placed = std::vector<Regions::Circuit>;

/// A region whose demands follow one another while ports fail.
struct RandomRegion {
  std::minstd_rand random;
  Regions regions;
  Regions::Region region;
  std::uint32_t members;
  Placed circuits;

  explicit RandomRegion(std::uint32_t seed) : random(seed) {
    members = static_cast<std::uint32_t>(2 + random() % 7);
    region.servers.resize(members);
    const auto nics = static_cast<std::uint16_t>(2 + random() % 7);
    for (std::uint16_t nic = 0; nic < nics; ++nic)
      (nic > 0 && random() % 4 == 0 ? regions.packet_nics : regions.optical_nics).push_back(nic);
    regions.gpu_of_nic.assign(nics, 0);
    region.failed.assign(members * std::size_t{nics}, 0);
    circuits =
        place_circuits(assign_circuits(Assignment::uniform, DemandMatrix(members), regions.ports(region)),
                       regions, region, {});
  }
  /// Sometimes a port fails, and its circuits go.
  void fail_some() {
    if (random() % 3 == 0) region.failed[random() % region.failed.size()] = 1;
    std::erase_if(circuits, [&](const Regions::Circuit& c) {
      return !region.works(c.a, c.nic_a) || !region.works(c.b, c.nic_b);
    });
  }
  /// Every port of the optical switch sends light to one port and gets light from one, at most, and works.
  void check_ports(const Placed& placed) const {
    std::set<std::uint32_t> in, out;
    for (const Regions::Circuit& c : placed) {
      REQUIRE((region.works(c.a, c.nic_a) && region.works(c.b, c.nic_b)));
      REQUIRE(c.a != c.b);
      const std::uint32_t a = ocs_port(regions, c.a, c.nic_a), b = ocs_port(regions, c.b, c.nic_b);
      REQUIRE(in.insert(a).second);
      REQUIRE(out.insert(b).second);
      if (c.is_one_way) continue;
      REQUIRE(in.insert(b).second);
      REQUIRE(out.insert(a).second);
    }
  }
  /// As many circuits of a pair as are wanted before and after have kept their ports.
  void check_kept(const Placed& before, const Placed& after) const {
    const CircuitCounts had = counts_of(before, members), has = counts_of(after, members);
    CircuitCounts kept(members);
    for (const Regions::Circuit& c : before)
      if (std::find(after.begin(), after.end(), c) != after.end()) {
        kept.add_one_way(c.a, c.b);
        if (!c.is_one_way) kept.add_one_way(c.b, c.a);
      }
    for (std::size_t pair = 0; pair < kept.count.size(); ++pair)
      REQUIRE(kept.count[pair] == std::min(had.count[pair], has.count[pair]));
  }
};

}  // namespace

TEST_CASE(
    "over changing demands and failing ports no port is in two circuits, and circuits that stay keep "
    "theirs") {
  for (const auto& [name, algorithm] : assignment_choices())
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
      RandomRegion r(seed);
      for (int change = 0; change < 25; ++change) {
        CAPTURE(name, seed, change, r.members);
        r.fail_some();
        const CircuitCounts wanted =
            assign_circuits(algorithm, random_demand(r.random, r.members), r.regions.ports(r.region));
        const Placed next = place_circuits(wanted, r.regions, r.region, r.circuits);
        REQUIRE(counts_of(next, r.members) == wanted);
        r.check_ports(next);
        r.check_kept(r.circuits, next);
        r.circuits = next;
      }
    }
}

TEST_CASE("so it is with circuits of one direction, phase after phase") {
  std::size_t placed = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    RandomRegion r(seed);
    r.circuits = one_way(r.circuits);
    for (int change = 0; change < 20; ++change) {
      const DemandMatrix demand = random_demand(r.random, r.members);
      const PhaseSchedule phases = schedules(demand, r.regions.ports(r.region), 3).back();
      for (const CircuitPhase& phase : phases) {
        CAPTURE(seed, change, r.members);
        r.fail_some();
        const Placed next = place_one_way(phase.circuits, r.regions, r.region, r.circuits);
        // A port that has failed since the schedule was made leaves circuits out, never adds any.
        const CircuitCounts counts = counts_of(next, r.members);
        for (std::size_t pair = 0; pair < counts.count.size(); ++pair)
          REQUIRE(counts.count[pair] <= phase.circuits.count[pair]);
        if (r.regions.ports(r.region) ==
            Ports(r.members, static_cast<std::uint32_t>(r.regions.optical_nics.size())))
          REQUIRE(counts == phase.circuits);
        r.check_ports(next);
        r.check_kept(r.circuits, next);
        r.circuits = next;
        placed += next.size();
      }
    }
  }
  CHECK(placed > 1000);
}
