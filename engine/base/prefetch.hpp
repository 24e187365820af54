#pragma once
#include <cstddef>
#include <cstdint>

namespace lightrail {

/// Asks for the cache line of `address`, which need not be valid, to be read and written soon.
///
/// The empty statement makes it an effect: GCC leaves out calls of functions that have none, such as one that
/// only prefetches.
inline void prefetch_line(const void* address) {
  __builtin_prefetch(address, 1);
  asm volatile("");
}

/// The same of all lines that have some of the `bytes` from `address` on.
inline void prefetch_lines(const void* address, std::size_t bytes) {
  const auto* first = static_cast<const char*>(address);
  const std::size_t skipped = reinterpret_cast<std::uintptr_t>(first) % 64;
  for (std::size_t at = 0; at < bytes + skipped; at += 64) prefetch_line(first - skipped + at);
}

}  // namespace lightrail
