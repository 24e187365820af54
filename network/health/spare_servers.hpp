#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/id.hpp"
#include "engine/base/time.hpp"
#include "network/health/server_health.hpp"
#include "network/wire/address_book.hpp"

namespace lightrail {

/// Which servers take the places of failed ones, and from when on. A Model resource, made before the run, the
/// same on every rank: failures are known beforehand, only when a job notices is not. Failures that last
/// longer than it takes to find them are served in the order of their beginning, each with the first spare
/// server that works then and stands for none; a spare that fails in its turn is replaced likewise. A server
/// that is repaired later stays where it is, idle, if it was replaced.
///
/// A GPU is called by the number that it has in the job (logical) and by that of the device that is in its
/// place (physical). Where servers are whole, only the server differs.
class SpareServers {
 public:
  SpareServers() = default;
  /// `in_use`: by server, whether some job has GPUs there. `spares`: servers with as many GPUs as those.
  SpareServers(const AddressBook& book, const ServerHealth& health, std::vector<bool> in_use,
               const std::vector<std::uint32_t>& spares, SimTime detection);

  /// The server that is in the place of `server` for who decides at `now`.
  [[nodiscard]] std::uint32_t in_place_of(std::uint32_t server, SimTime now) const;
  /// The server in whose place `server` is, or will be; itself: in none.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t server) const;
  /// A GPU or host of that server; others are what they are.
  [[nodiscard]] EndpointId physical(EndpointId endpoint, SimTime now) const;
  [[nodiscard]] EndpointId logical(EndpointId endpoint) const;
  [[nodiscard]] bool is_empty() const { return replaced_.empty(); }

 private:
  struct Replacement {
    std::uint32_t server = 0, by = 0;
    SimTime from{};  ///< of the failure's beginning on
  };
  struct Server {
    std::uint32_t first_gpu = EndpointId::none, host = EndpointId::none;
  };
  [[nodiscard]] EndpointId moved(EndpointId endpoint, std::uint32_t to) const;

  const AddressBook* book_ = nullptr;
  std::vector<Replacement> replaced_;  ///< by time
  std::vector<Server> servers_;
};

}  // namespace lightrail
