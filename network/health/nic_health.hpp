#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/model/model.hpp"
#include "network/health/health_table.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

/// Which endpoints can be reached by their own NIC, and by whose NIC the others are: HealthTable seen from
/// the address book. The same on every rank, never changed; nothing where no NIC's cable ever fails, and
/// where nobody can stand in for another: circuits change (NicReturns), or a GPU has several NICs.
class NicHealth {
 public:
  NicHealth() = default;
  /// `health` and `book` must outlive it; `model` has the fabric's resources.
  NicHealth(const HealthTable& health, const AddressBook& book, const Model& model);

  [[nodiscard]] bool is_empty() const { return cable_of_.empty(); }
  /// Whether `observer` takes the endpoint's own NIC for connected at `now`; false also for one that has
  /// none.
  [[nodiscard]] bool is_up(EndpointId endpoint, SimTime now, Observer observer) const;
  /// The next moment after `now` at which that changes.
  [[nodiscard]] SimTime next_change(EndpointId endpoint, SimTime now, Observer observer) const;
  /// The same of any GPU of the endpoint's server: when stand_in() may change for one of them.
  [[nodiscard]] SimTime next_change_of_server(EndpointId endpoint, SimTime now, Observer observer) const;
  /// Whose NIC takes what is for `endpoint`: its own, or where that is down the one of the next GPU of its
  /// server (in the order of their places, around) whose NIC is up and that NVLink joins to it. The endpoint
  /// itself where there is none.
  [[nodiscard]] EndpointId stand_in(EndpointId endpoint, SimTime now, Observer observer) const;

 private:
  /// The GPUs of the server of a GPU, [first, end).
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> gpus_beside(EndpointId gpu) const;

  const HealthTable* health_ = nullptr;
  const AddressBook* book_ = nullptr;
  std::vector<LinkId> cable_of_;    ///< by endpoint: from its NIC to the fabric; invalid: it has no NIC
  std::vector<bool> is_on_nvlink_;  ///< by endpoint: it can hand work to its neighbours, and they to it
};

}  // namespace lightrail
