#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "network/port/flow_control.hpp"

namespace lightrail {

/// Of the trains of all ports with buffers [B].
[[nodiscard]] std::int64_t longest_train(std::span<const PortEnd> ports);
/// Whether a sender that has its credits but for a quarter of a buffer of `counted` [B] cannot keep the line
/// of `end` busy.
[[nodiscard]] bool is_long_way(const PortEnd& end, std::int64_t counted);

/// The receiver's side of credits: gives the far end its credits back when trains have left the input buffer.
///
/// They are returned in batches of a quarter of what is free in the buffer, or of a buffer minus the longest
/// train of the component's links where that is less: what is collected and not yet returned can then never
/// starve the sender, and a full buffer returns them train by train, as packets would. They are returned one
/// by one behind an optical switch, because the sender may be switched to another receiver, and over a way so
/// long that what a line carries in a round trip fills three quarters of the buffer: the sender would want
/// for what is withheld. A batch leaves when the last of its trains has left; what leaves much later than
/// others is no part of one (InputBank). Credits take no line time.
class CreditReturn final : public ReceiveControl {
 public:
  /// Throws InputErrors when a buffer does not hold one train of the component's links.
  CreditReturn(std::span<const PortEnd> ports, const std::string& name);

  [[nodiscard]] ReceiveTerms terms(PortIndex port) const override { return terms_[port]; }
  void on_freed(Context& context, PortIndex port, std::uint8_t lane, std::uint32_t bytes,
                SimTime at) override;

 private:
  std::vector<ReceiveTerms> terms_;  ///< by port
};

}  // namespace lightrail
