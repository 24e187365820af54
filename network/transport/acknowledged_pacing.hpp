#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "engine/base/quantity.hpp"
#include "engine/model/model.hpp"
#include "network/transport/flow_pacing.hpp"
#include "network/transport/repair_sender.hpp"

namespace lightrail {

/// How fast a NIC may send flows that go by acknowledgements instead of notices: by their marks, or by how
/// long they took.
class AcknowledgedPacing : public FlowPacing {
 public:
  /// Notices are those of others.
  void slow_down(std::uint64_t, std::uint32_t, SimTime) final {}
  /// `bytes` of a flow are there, which were not known to be; `round_trip`: of the last of them, nothing
  /// where it was sent twice; `is_marked`: it met congestion. What is on the way of the flow is what is left.
  virtual void acknowledged(std::uint64_t flow, std::int64_t bytes, std::optional<SimTime> round_trip,
                            bool is_marked, SimTime now) = 0;
  /// `bytes` came without their payload.
  virtual void trimmed(std::uint64_t flow, std::int64_t bytes, SimTime now) = 0;
  /// `bytes` were not acknowledged in time.
  virtual void timed_out(std::uint64_t flow, std::int64_t bytes) = 0;
};

/// What is paced.
struct PacedLine {
  BitRate rate{};                 ///< of the port
  std::uint32_t mtu_bytes = 1;    ///< of its packets [B]
  std::uint32_t train_bytes = 1;  ///< of its trains at most [B]
};

/// What the model's <nscc>, <dctcp> or <timely> says; null where it has none of them. `sender`, which knows
/// what is on the way, outlives it.
[[nodiscard]] std::unique_ptr<AcknowledgedPacing> acknowledged_pacing(const Model& model,
                                                                      const PacedLine& line,
                                                                      const RepairSender& sender);

}  // namespace lightrail
