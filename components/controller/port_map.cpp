#include "components/controller/port_map.hpp"

#include <algorithm>
#include <cstdint>

#include "engine/base/error.hpp"

namespace lightrail {
namespace {

std::size_t index_of(const Regions& regions, std::uint16_t nic) {
  const auto it = std::find(regions.optical_nics.begin(), regions.optical_nics.end(), nic);
  LIGHTRAIL_EXPECT(it != regions.optical_nics.end());
  return static_cast<std::size_t>(it - regions.optical_nics.begin());
}

/// The free NIC in the half of the server that this pair uses least; the lowest of several.
std::size_t choose(const std::vector<bool>& is_free, std::uint32_t pair_circuits) {
  const std::size_t n = is_free.size(), half = (n + 1) / 2;
  const bool wants_upper = pair_circuits % 2 == 1;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = wants_upper ? (half + k) % n : k;
    if (is_free[i]) return i;
  }
  LIGHTRAIL_EXPECT(!"a server has no more circuits than NICs");
  return 0;
}

/// By member and optical NIC.
std::vector<std::vector<bool>> working_nics(std::uint32_t members, const Regions& regions,
                                            const Regions::Region& region) {
  const std::size_t nics = regions.optical_nics.size();
  std::vector<std::vector<bool>> works(members, std::vector<bool>(nics));
  for (std::uint32_t m = 0; m < members; ++m)
    for (std::size_t i = 0; i < nics; ++i) works[m][i] = region.works(m, regions.optical_nics[i]);
  return works;
}

}  // namespace

std::uint32_t ocs_port(const Regions& regions, std::uint32_t member, std::uint16_t nic) {
  return static_cast<std::uint32_t>(member * regions.optical_nics.size() + index_of(regions, nic));
}

CircuitCounts counts_of(const std::vector<Regions::Circuit>& circuits, std::uint32_t members) {
  CircuitCounts counts(members);
  for (const Regions::Circuit& c : circuits)
    if (c.is_one_way)
      counts.add_one_way(c.a, c.b);
    else
      counts.add(c.a, c.b);
  return counts;
}

std::vector<Regions::Circuit> one_way(const std::vector<Regions::Circuit>& circuits) {
  std::vector<Regions::Circuit> all;
  for (const Regions::Circuit& c : circuits) {
    all.push_back({c.a, c.b, c.nic_a, c.nic_b, true});
    if (!c.is_one_way) all.push_back({c.b, c.a, c.nic_b, c.nic_a, true});
  }
  return all;
}

std::vector<Regions::Circuit> place_one_way(const CircuitCounts& counts, const Regions& regions,
                                            const Regions::Region& region,
                                            const std::vector<Regions::Circuit>& before) {
  std::vector<std::vector<bool>> can_send = working_nics(counts.servers, regions, region),
                                 can_hear = can_send;
  CircuitCounts placed(counts.servers);
  std::vector<Regions::Circuit> all;
  for (const Regions::Circuit& c : before) {
    if (placed.at(c.a, c.b) >= counts.at(c.a, c.b)) continue;
    placed.add_one_way(c.a, c.b);
    can_send[c.a][index_of(regions, c.nic_a)] = can_hear[c.b][index_of(regions, c.nic_b)] = false;
    all.push_back(c);
  }
  const auto has_one = [](const std::vector<bool>& nics) {
    return std::find(nics.begin(), nics.end(), true) != nics.end();
  };
  for (std::uint32_t a = 0; a < counts.servers; ++a)
    for (std::uint32_t b = 0; b < counts.servers; ++b)
      while (placed.at(a, b) < counts.at(a, b) && has_one(can_send[a]) && has_one(can_hear[b])) {
        const std::size_t i = choose(can_send[a], placed.at(a, b)), k = choose(can_hear[b], placed.at(a, b));
        can_send[a][i] = can_hear[b][k] = false;
        placed.add_one_way(a, b);
        all.push_back({a, b, regions.optical_nics[i], regions.optical_nics[k], true});
      }
  return all;
}

std::vector<Regions::Circuit> place_circuits(const CircuitCounts& counts, const Regions& regions,
                                             const Regions::Region& region,
                                             const std::vector<Regions::Circuit>& before) {
  std::vector<std::vector<bool>> is_free = working_nics(counts.servers, regions, region);
  CircuitCounts placed(counts.servers);
  std::vector<Regions::Circuit> all;
  for (const Regions::Circuit& c : before) {
    if (placed.at(c.a, c.b) >= counts.at(c.a, c.b)) continue;
    placed.add(c.a, c.b);
    is_free[c.a][index_of(regions, c.nic_a)] = is_free[c.b][index_of(regions, c.nic_b)] = false;
    all.push_back(c);
  }
  for (std::uint32_t a = 0; a < counts.servers; ++a)
    for (std::uint32_t b = a + 1; b < counts.servers; ++b)
      while (placed.at(a, b) < counts.at(a, b)) {
        const std::size_t i = choose(is_free[a], placed.at(a, b)), k = choose(is_free[b], placed.at(a, b));
        is_free[a][i] = is_free[b][k] = false;
        placed.add(a, b);
        all.push_back({a, b, regions.optical_nics[i], regions.optical_nics[k]});
      }
  return all;
}

}  // namespace lightrail
