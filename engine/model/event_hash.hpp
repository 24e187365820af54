#pragma once
#include <array>
#include <bit>
#include <cstdint>

#include "engine/base/hash.hpp"
#include "engine/base/wide.hpp"
#include "engine/model/event.hpp"

namespace lightrail {

/// Both halves of the 128-bit product, folded.
[[nodiscard]] inline std::uint64_t multiply_fold(std::uint64_t x, std::uint64_t y) {
  const UnsignedWide product = static_cast<UnsignedWide>(x) * y;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// All 32 bytes of an event; two independent multiplications, so that it costs little beside handling the
/// event.
[[nodiscard]] inline std::uint64_t event_hash(const Event& event) {
  const auto time = static_cast<std::uint64_t>(event.time.count());
  const std::uint64_t order = std::uint64_t{event.link.value} << 32 | event.tie;
  const auto payload = std::bit_cast<std::array<std::uint64_t, 2>>(event.payload);
  return multiply_fold(time ^ 0x9e3779b97f4a7c15ULL, order ^ 0xc2b2ae3d27d4eb4fULL) ^
         multiply_fold(payload[0] ^ 0x165667b19e3779f9ULL, payload[1] ^ 0xd6e8feb86659fd93ULL);
}

/// The running hash of a component after it handled `event`; the order of events matters.
[[nodiscard]] inline std::uint64_t extend_hash(std::uint64_t state, const Event& event) {
  return mix64(state + event_hash(event) + 0x9e3779b97f4a7c15ULL);
}

/// What a component adds, by exclusive or, to the hash of the run: independent of who holds the component.
[[nodiscard]] inline std::uint64_t keyed_hash(std::uint64_t state, ComponentId id) {
  return hash_combine(mix64(id.value + 1), state);
}

}  // namespace lightrail
