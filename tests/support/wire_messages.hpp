#pragma once
#include <cstdint>

#include "network/wire/frame.hpp"
#include "network/wire/message.hpp"
#include "network/wire/train.hpp"
#include "network/wire/work_request.hpp"

namespace lightrail::test {

/// What Train carries, as it is on the wire.
[[nodiscard]] inline Payload train_payload(MessageKind kind, EndpointId from, EndpointId to,
                                           Connection connection, std::uint32_t bytes,
                                           std::uint16_t packets = 1, std::uint8_t lane = 0) {
  Train train{.kind = kind, .lane = lane, .bytes = bytes, .address = Address(from, to, connection)};
  train.packets = packets & (2 * max_packets - 1);
  return to_payload(train);
}

/// A work request of a device behind a NIC.
[[nodiscard]] inline Payload work_payload(EndpointId from, EndpointId to, Connection connection,
                                          std::uint32_t bytes, bool notify = false, std::uint8_t lane = 0) {
  return to_payload(
      WorkRequest{.lane = lane, .notify = notify, .bytes = bytes, .address = Address(from, to, connection)});
}

/// Lane, bytes and address of whatever travels as frames do, work requests and their notices too.
[[nodiscard]] inline Frame frame_in(const Payload& payload) {
  return as<Frame>(payload);
}

}  // namespace lightrail::test
