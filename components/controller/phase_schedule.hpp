#pragma once
#include <cstdint>
#include <vector>

#include "components/controller/circuit_assignment.hpp"
#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"

namespace lightrail {

/// A stretch of an exchange with circuits of its own, one way each: a server sends to one and hears another.
struct CircuitPhase {
  CircuitCounts circuits;
  DemandMatrix bytes;  ///< what of the demand crosses in this phase
};

using PhaseSchedule = std::vector<CircuitPhase>;

/// Birkhoff-von-Neumann as a schedule in time: the demand, filled up to equal sums of rows and columns, is
/// cut into permutations; the heaviest of them share phases x ports layers, so that the most that a layer
/// carries is least; layers become phases, those that carry most first. A pair that has circuits in some
/// phases sends all its bytes in them, by their weights; a pair that has none is left to the packet network.
/// Equal phases are one. Schedule i of the result has i + 1 phases at most; none has any without demand.
[[nodiscard]] std::vector<PhaseSchedule> schedules(const DemandMatrix& demand, const Ports& ports,
                                                   std::uint32_t max_phases);

/// The one that leaves least to the packet network, of these the shortest, of these that of fewest phases.
[[nodiscard]] PhaseSchedule shortest(const std::vector<PhaseSchedule>& all, const DemandMatrix& demand);

/// What the busiest circuit of a phase carries [B], and the time that takes.
[[nodiscard]] std::int64_t longest(const CircuitPhase& phase);
[[nodiscard]] SimTime duration(const CircuitPhase& phase, BitRate rate);

/// Parts of region_control::Share::whole of a pair's demand that cross in phases after number `phase`.
[[nodiscard]] std::uint32_t later_part(const PhaseSchedule& phases, std::size_t phase, std::uint32_t from,
                                       std::uint32_t to);

/// What pairs without a circuit in any phase leave to the packet network.
[[nodiscard]] DemandMatrix left_over(const DemandMatrix& demand, const PhaseSchedule& phases);

/// Parts of Share::whole of every pair with circuits that packet NICs, `packet` a server, should take so that
/// the busiest server's have ended when the phases have: what is left over comes first. `changes`: what
/// circuits take to change between phases.
[[nodiscard]] std::uint32_t part_beside(const DemandMatrix& demand, const PhaseSchedule& phases,
                                        BitRate circuit, BitRate packet, SimTime changes);
/// Takes so many parts off the bytes of each phase, rounded in favour of the phase.
void take_off(PhaseSchedule& phases, std::uint32_t part);

}  // namespace lightrail
