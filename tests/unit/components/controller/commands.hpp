#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "network/wire/region_control.hpp"
#include "tests/support/network_bed.hpp"

namespace lightrail::test {

using Circuits = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Circuits of every command that the optical switch, played by a probe, was given.
inline std::vector<Circuits> commands_to(NetworkBed& bed, ComponentId ocs) {
  std::vector<Circuits> all(1);
  for (const Arrival& a : bed.arrivals(ocs))
    if (kind_of(a.payload) == MessageKind::connect) {
      const auto circuit = as<region_control::Connect>(a.payload);
      all.back().emplace_back(circuit.in, circuit.out);
    } else {
      all.emplace_back();
    }
  all.pop_back();
  return all;
}

}  // namespace lightrail::test
