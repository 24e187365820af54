#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/model.hpp"
#include "network/health/health_table.hpp"
#include "network/health/nic_health.hpp"
#include "network/health/outage.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

/// A server is of no use to a job in that span.
struct ServerFailure {
  std::uint32_t server = 0;
  Outage span;
  ComponentId cause{};  ///< what failed first: a GPU (its host and NVSwitch too), or a NIC
};

/// When servers are of no use to a job: one of their GPUs stands still, or cannot be reached, since its NIC's
/// cables are all down and no other NIC of the server stands in, or all of its NVLinks are down; or those of
/// a NIC for storage are all down. The same on every rank, never changed.
class ServerHealth {
 public:
  ServerHealth() = default;
  /// `nics`: null where no NIC's cable ever fails.
  ServerHealth(const Model& model, const HealthTable& health, const AddressBook& book, const NicHealth* nics);

  /// All of them, by beginning and server; of one server disjoint.
  [[nodiscard]] const std::vector<ServerFailure>& failures() const { return failures_; }
  /// The one in which a server is at `now`; null: it works.
  [[nodiscard]] const ServerFailure* failure_at(std::uint32_t server, SimTime now) const;

 private:
  std::vector<ServerFailure> failures_;
};

}  // namespace lightrail
