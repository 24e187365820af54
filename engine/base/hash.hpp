#pragma once
#include <cstdint>

namespace lightrail {

/// Mixes 64 bits (the finaliser of SplitMix64). Same on every machine.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Folds `value` into the running hash `state`; order matters.
constexpr std::uint64_t hash_combine(std::uint64_t state, std::uint64_t value) {
  return mix64(state + 0x9e3779b97f4a7c15ULL + value);
}

}  // namespace lightrail
