#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "engine/model/model.hpp"
#include "network/health/health_table.hpp"
#include "network/port/device_traits.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

/// Which ports of a NIC of several lead to another one, where each port is in a fabric of its own (a plane)
/// that nothing joins to the other: HealthTable seen from the lids. What leaves by port k comes in by port k,
/// so that a cable that is down there is of no use here either. The same on every rank, never changed; no NIC
/// is restricted where planes are joined, or no cable ever fails.
class NicPlanes {
 public:
  NicPlanes() = default;
  /// `model` has the routing tables.
  NicPlanes(const HealthTable& health, const Model& model);

  [[nodiscard]] bool is_empty() const { return cables_of_.empty(); }
  /// Whether senders take the cable from port `port` of the NIC at `lid` for up at `now`.
  [[nodiscard]] bool leads_to(Lid lid, std::uint32_t port, SimTime now) const;
  /// The first moment after `now` at which that may change for any lid; time_never: no further one.
  [[nodiscard]] SimTime next_change(SimTime now) const { return outages_.next_change(now, Observer::sender); }

 private:
  HealthTable outages_;                                          ///< of these cables alone
  std::vector<std::array<LinkId, max_fabric_ports>> cables_of_;  ///< by lid; not valid: never down, or joined
};

}  // namespace lightrail
