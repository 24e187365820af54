#pragma once
#include <optional>

#include "engine/model/context.hpp"
#include "network/wire/train.hpp"

namespace lightrail {

/// What a transport does about trains that an optical switch could not pass on: corrupt ones the link replays
/// at once; lost ones go again when the sender's timer ends, a few times, then the connection breaks.
struct Retransmission {
  static constexpr SimTime infiniband_timeout =
      nanoseconds(67'108'864);  ///< 4.096 us x 2^14, a usual setting

  /// True for what an optical switch sends back.
  static bool is_for(WireKind kind) {
    return kind >= WireKind::lost_train && kind <= WireKind::corrupt_control;
  }
  /// What came back as lost, for a wake at the end of the timer; nothing when it was sent often enough.
  static std::optional<Payload> later(const Payload& lost, std::uint32_t retries) {
    if (retries_of(lost) >= retries) return std::nullopt;
    Payload again = lost;
    again.count = static_cast<std::uint16_t>(lost.count + (1u << retry_shift));
    return again;
  }
  static bool is_corrupt(WireKind kind) {
    return kind == WireKind::corrupt_train || kind == WireKind::corrupt_control;
  }
  /// The train or control message itself, as it was sent.
  static Payload original(const Payload& back) {
    Payload train = back;
    const bool is_train = kind_of(back) == WireKind::lost_train || kind_of(back) == WireKind::corrupt_train;
    train.kind = static_cast<std::uint8_t>(is_train ? WireKind::train : WireKind::control);
    return train;
  }
};

}  // namespace lightrail
