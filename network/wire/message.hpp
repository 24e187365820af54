#pragma once
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "engine/base/error.hpp"
#include "engine/model/event.hpp"

namespace lightrail {

/// A struct that says what a Payload's 16 bytes hold for the kinds that T::carries(): messages of
/// network/wire, and the timers that a component sends itself. Its first member is the kind.
template <class T>
concept Message = sizeof(T) == sizeof(Payload) && std::is_trivially_copyable_v<T> && sizeof(T::kind) == 1 &&
                  requires(T message) {
  { T::carries(message.kind) } -> std::same_as<bool>;
};

/// A payload of two words, the first byte (the kind) the lowest.
[[nodiscard]] inline Payload payload_of(std::uint64_t low, std::uint64_t high) {
  return std::bit_cast<Payload>(std::array<std::uint64_t, 2>{low, high});
}

/// The bytes of a message. Where that is done for every train, network/port builds them in registers instead
/// (Frame): a narrow store that a wider load follows at once stalls the processor.
template <Message T>
[[nodiscard]] Payload to_payload(const T& message) {
  return std::bit_cast<Payload>(message);
}

/// What `payload` holds; its kind must be one that T carries. Inline where every train passes: a call of its
/// own costs more than the three instructions that it is.
template <Message T>
[[nodiscard, gnu::always_inline]] inline T as(const Payload& payload) {
  const T message = std::bit_cast<T>(payload);
  LIGHTRAIL_EXPECT(T::carries(message.kind));
  return message;
}

}  // namespace lightrail
