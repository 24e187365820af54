#pragma once
#include <cstdint>

#include "network/wire/frame.hpp"
#include "network/wire/train.hpp"

namespace lightrail {

/// A train or control message between GPUs of a server on its way to a delegate, the GPU that has a way to
/// where it goes (bypass_...: it takes NVLink's latency alone, no time of a line and no buffer).
struct DelegatedTrain {
  MessageKind kind = MessageKind::delegated_train;
  std::uint8_t lane = 0;
  std::uint16_t via = 0;    ///< local number of the delegate, the NVSwitch's port
  std::uint32_t bytes = 0;  ///< [B]
  Address address{};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    return kind >= MessageKind::delegated_train && kind <= MessageKind::bypass_control;
  }
  [[nodiscard]] constexpr bool is_bypass() const { return kind >= MessageKind::bypass_train; }
};
static_assert(Message<DelegatedTrain>);

/// A train or control message that an optical switch could not pass on, from the NIC back to its GPU, which
/// knows where circuits lead.
struct ReturnedTrain {
  MessageKind kind = MessageKind::returned_train;
  std::uint8_t lane = 0;
  std::uint16_t unused : 12 = 0;
  std::uint16_t is_given_up : 1 = 0;       ///< the NIC has sent it as often as it may
  std::uint16_t retries : retry_bits = 0;  ///< how often it was sent again
  std::uint32_t bytes = 0;                 ///< [B]
  Address address{};

  [[nodiscard]] static constexpr bool carries(MessageKind kind) {
    return kind == MessageKind::returned_train || kind == MessageKind::returned_control;
  }
  /// `train`, a train or control message as it was sent, on its way back.
  [[nodiscard]] static ReturnedTrain of(const Train& train) {
    const bool is_control = train.kind == MessageKind::control;
    return {.kind = is_control ? MessageKind::returned_control : MessageKind::returned_train,
            .lane = train.lane,
            .retries = train.retries,
            .bytes = train.bytes,
            .address = train.address};
  }
};
static_assert(Message<ReturnedTrain>);

/// MessageKind::train or control: what a kind of DelegatedTrain or ReturnedTrain is a form of.
[[nodiscard]] constexpr MessageKind plain_kind(MessageKind kind) {
  return is_payload(kind) ? MessageKind::train : MessageKind::control;
}
/// The train or control message itself, at its delegate.
[[nodiscard]] inline Train plain_train(const DelegatedTrain& train) {
  return {.kind = plain_kind(train.kind), .lane = train.lane, .bytes = train.bytes, .address = train.address};
}
/// The train or control message itself, back at its GPU.
[[nodiscard]] inline Train plain_train(const ReturnedTrain& train) {
  return {.kind = plain_kind(train.kind),
          .lane = train.lane,
          .retries = train.retries,
          .bytes = train.bytes,
          .address = train.address};
}
/// The kind of DelegatedTrain for MessageKind::train or control.
[[nodiscard]] constexpr MessageKind delegated_kind(MessageKind plain) {
  return plain == MessageKind::control ? MessageKind::delegated_control : MessageKind::delegated_train;
}
/// The same, past NVLink.
[[nodiscard]] constexpr MessageKind bypass_kind(MessageKind plain) {
  return plain == MessageKind::control ? MessageKind::bypass_control : MessageKind::bypass_train;
}

}  // namespace lightrail
