#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace lightrail {

/// Mixes 64 bits (the finaliser of SplitMix64). Same on every machine.
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Folds `value` into the running hash `state`; order matters.
[[nodiscard]] constexpr std::uint64_t hash_combine(std::uint64_t state, std::uint64_t value) {
  return mix64(state + 0x9e3779b97f4a7c15ULL + value);
}

/// Of a byte string. Damage inside one group of 8 bytes always changes it: every step is one to one in the
/// state and in the 8 bytes. Not against forgery.
[[nodiscard]] inline std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t state = mix64(bytes.size() + 1);
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    state = hash_combine(state, word);
  }
  std::uint64_t rest = 0;
  if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
  return hash_combine(state, rest);
}

}  // namespace lightrail
