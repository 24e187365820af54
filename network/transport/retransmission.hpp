#pragma once
#include <cstdint>
#include <optional>

#include "engine/base/time.hpp"
#include "network/wire/train.hpp"

namespace lightrail {

/// What a transport does about trains that an optical switch could not pass on: corrupt ones the link replays
/// at once; lost ones go again when the sender's timer ends, a few times, then the connection breaks.
struct Retransmission {
  static constexpr SimTime infiniband_timeout =
      nanoseconds(67'108'864);  ///< 4.096 us x 2^14, a usual setting

  /// True for what an optical switch sends back.
  [[nodiscard]] static constexpr bool is_for(MessageKind kind) {
    return kind >= MessageKind::lost_train && kind <= MessageKind::corrupt_control;
  }
  [[nodiscard]] static constexpr bool is_corrupt(MessageKind kind) {
    return kind == MessageKind::corrupt_train || kind == MessageKind::corrupt_control;
  }
  /// What came back as lost, for a wake at the end of the timer; nothing when it was sent often enough:
  /// `retries` times, at most max_retries.
  [[nodiscard]] static std::optional<Train> later(const Train& lost, std::uint32_t retries) {
    if (lost.retries >= retries) return std::nullopt;
    Train again = lost;
    again.retries = (lost.retries + 1u) & max_retries;
    return again;
  }
  /// `train`, a train or control message, as what did not get through.
  [[nodiscard]] static Train lost(Train train) {
    train.kind = train.kind == MessageKind::control ? MessageKind::lost_control : MessageKind::lost_train;
    return train;
  }
  /// The train or control message itself, as it was sent.
  [[nodiscard]] static Train original(const Train& back) {
    Train train = back;
    const bool is_train = back.kind == MessageKind::lost_train || back.kind == MessageKind::corrupt_train;
    train.kind = is_train ? MessageKind::train : MessageKind::control;
    return train;
  }
};

}  // namespace lightrail
