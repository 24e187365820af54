#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "engine/model/model.hpp"
#include "network/health/health_table.hpp"
#include "network/port/device_traits.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

/// Which endpoints can be reached by their own NIC, and by whose NIC the others are: HealthTable seen from
/// the address book. A NIC of several ports is up while one of its cables is. The same on every rank, never
/// changed; nothing where no NIC ever loses all its cables, and where nobody can stand in for another:
/// circuits change (NicReturns), or a GPU has several NICs.
class NicHealth {
 public:
  NicHealth() = default;
  /// `health` and `book` must outlive it; `model` has the fabric's resources.
  NicHealth(const HealthTable& health, const AddressBook& book, const Model& model);

  [[nodiscard]] bool is_empty() const { return cables_of_.empty(); }
  /// Whether `observer` takes the endpoint's own NIC for connected at `now`; false also for one that has
  /// none.
  [[nodiscard]] bool is_up(EndpointId endpoint, SimTime now, Observer observer) const;
  /// The next moment after `now` at which that may change.
  [[nodiscard]] SimTime next_change(EndpointId endpoint, SimTime now, Observer observer) const;
  /// The same of any GPU of the endpoint's server: when stand_in() may change for one of them.
  [[nodiscard]] SimTime next_change_of_server(EndpointId endpoint, SimTime now, Observer observer) const;
  /// Whose NIC takes what is for `endpoint`: its own, or where that is down the one of the next GPU of its
  /// server (in the order of their places, around) whose NIC is up and that NVLink joins to it. The endpoint
  /// itself where there is none.
  [[nodiscard]] EndpointId stand_in(EndpointId endpoint, SimTime now, Observer observer) const;

 private:
  const HealthTable* health_ = nullptr;
  const AddressBook* book_ = nullptr;
  using Cables = std::array<LinkId, max_fabric_ports>;
  /// Whether all cables of a NIC are ever down at once.
  [[nodiscard]] bool is_ever_cut_off(const Cables& cables) const;

  std::vector<Cables> cables_of_;   ///< by endpoint: from its NIC to the fabric; none valid: it has no NIC
  std::vector<bool> is_on_nvlink_;  ///< by endpoint: it can hand work to its neighbours, and they to it
};

}  // namespace lightrail
