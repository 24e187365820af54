#pragma once
#include <cstdint>

#include "engine/base/time.hpp"
#include "engine/model/model.hpp"
#include "engine/model/state_io.hpp"
#include "network/health/spare_servers.hpp"
#include "network/wire/connection.hpp"

namespace lightrail {

/// Where the endpoints that a GPU's program names are in the current attempt of its job, and on which
/// connections that attempt sends. In the first attempt everything is what it is called. Plain state.
class AttemptAddresses {
 public:
  explicit AttemptAddresses(const Model& model) : spares_(model.resource<SpareServers>()) {}

  /// From now on nothing of attempts before `attempt` counts.
  void halt(std::uint32_t attempt) { attempt_ = attempt; }
  /// Attempt `attempt` begins, with the servers that one takes who decides at `decided_at`.
  void begin(std::uint32_t attempt, SimTime decided_at) { attempt_ = attempt, decided_at_ = decided_at; }

  [[nodiscard]] std::uint32_t attempt() const { return attempt_; }
  [[nodiscard]] bool is_first() const { return attempt_ == 0; }
  [[nodiscard]] EndpointId of(EndpointId endpoint) const {
    return is_first() || !spares_ || !endpoint.is_valid() ? endpoint
                                                          : spares_->physical(endpoint, decided_at_);
  }
  [[nodiscard]] Connection of(Connection connection) const { return connection.in_attempt(attempt_); }
  /// Whether what comes on that connection is of another attempt.
  [[nodiscard]] bool is_over(Connection connection) const { return connection.attempt() != attempt_; }

  void save(StateWriter& out) const { out.put(attempt_), out.put(decided_at_); }
  void load(StateReader& in) { in.get(attempt_), in.get(decided_at_); }

 private:
  const SpareServers* spares_;  ///< null: there are none
  std::uint32_t attempt_ = 0;
  SimTime decided_at_{};
};

}  // namespace lightrail
