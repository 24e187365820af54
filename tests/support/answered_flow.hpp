#pragma once
#include <cstdint>
#include <optional>

#include "network/transport/acknowledged_pacing.hpp"
#include "network/transport/repair_sender.hpp"
#include "network/wire/train.hpp"

namespace lightrail::test {

/// One flow between a RepairSender and who paces it: packets that are sent, and acknowledged in their order.
struct AnsweredFlow {
  std::uint32_t number = 0;    ///< tells flows apart
  std::uint32_t bytes = 1000;  ///< of a packet
  std::uint16_t next = 0;      ///< what is acknowledged next

  [[nodiscard]] Address address() const {
    return {EndpointId{1}, EndpointId{2}, Connection::make(0, number, 0)};
  }
  [[nodiscard]] std::uint64_t key() const { return address().word(); }

  void send(RepairSender& sender, AcknowledgedPacing& pacing, SimTime at, SimTime line = SimTime{1}) const {
    static_cast<void>(sender.leaving(frame_of(Train{.bytes = bytes, .address = address()}), 0, at));
    pacing.sent(key(), at, bytes, line);
  }
  /// `packets` more are there.
  void acknowledge(RepairSender& sender, AcknowledgedPacing& pacing, std::uint16_t packets, bool is_marked,
                   std::optional<SimTime> round_trip, SimTime now) {
    next = static_cast<std::uint16_t>(next + packets);
    const Address own = address();
    const RepairSender::Answer* answer = sender.on_acknowledgement(
        {.number = next, .address = Address(own.to(), own.from(), own.connection())}, now);
    pacing.acknowledged(key(), answer->arrived, round_trip, is_marked, now);
  }
};

}  // namespace lightrail::test
