#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "network/port/flow_control.hpp"

namespace lightrail {

/// The sender's side of credits: SendLane::allowed are the credits that a lane has left.
class CreditUse final : public SendControl {
 public:
  explicit CreditUse(std::span<const PortEnd> ports);

  [[nodiscard]] SendTerms terms(PortIndex port) const override;
  [[nodiscard]] LaneMask on_message(Context& context, PortIndex port, const Payload& message,
                                    SendLanes lanes) override;
  /// From trains given to the line ahead of time, which hold their credits already.
  [[nodiscard]] bool can_borrow(PortIndex port, std::uint8_t lane, std::uint32_t bytes,
                                std::uint32_t limit) const override;
  void borrow(PortIndex port, std::uint8_t lane, std::uint32_t bytes, SendLane& state) override;
  [[nodiscard]] std::string_view awaited() const override { return "credits"; }
  void save(StateWriter& out) const override { out.put(debts_); }
  void load(StateReader& in) override { in.get(debts_); }

 private:
  [[nodiscard]] std::uint32_t debt_of(PortIndex port, std::uint8_t lane) const {
    return debts_.empty() ? 0 : debts_[index(port, lane)];
  }
  [[nodiscard]] static std::size_t index(PortIndex port, std::uint8_t lane) {
    return std::size_t{port} * max_lanes + lane;
  }

  std::vector<InputBuffer> far_;  ///< by port
  /// By port and lane: credits that were borrowed [B]; the next ones to come back pay for them. Empty while
  /// nothing was.
  std::vector<std::uint32_t> debts_;
};

}  // namespace lightrail
