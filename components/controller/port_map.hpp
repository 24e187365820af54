#pragma once
#include <cstdint>
#include <vector>

#include "components/controller/circuit_assignment.hpp"
#include "network/circuits/regions.hpp"

namespace lightrail {

/// Port of the region's optical switch that `nic` of a member is joined to: members one after the other,
/// their optical NICs in order.
[[nodiscard]] std::uint32_t ocs_port(const Regions& regions, std::uint32_t member, std::uint16_t nic);

/// Which NICs the circuits between servers take. Circuits of `before` that are still wanted stay where they
/// are; the others take free NICs that work, those of one pair spread over the halves of the servers (NUMA
/// nodes).
[[nodiscard]] std::vector<Regions::Circuit> place_circuits(const CircuitCounts& counts,
                                                           const Regions& regions,
                                                           const Regions::Region& region,
                                                           const std::vector<Regions::Circuit>& before);

/// The same for circuits that lead one way each: a NIC sends to one server and hears another. Those that
/// working NICs do not suffice for are left out.
[[nodiscard]] std::vector<Regions::Circuit> place_one_way(const CircuitCounts& counts, const Regions& regions,
                                                          const Regions::Region& region,
                                                          const std::vector<Regions::Circuit>& before);

/// Both directions as circuits of their own.
[[nodiscard]] std::vector<Regions::Circuit> one_way(const std::vector<Regions::Circuit>& circuits);

/// Circuits by pair of members.
[[nodiscard]] CircuitCounts counts_of(const std::vector<Regions::Circuit>& circuits, std::uint32_t members);

}  // namespace lightrail
