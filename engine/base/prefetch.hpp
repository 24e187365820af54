#pragma once
#include <cstddef>

namespace lightrail {

/// Asks for the cache line of `address`, which need not be valid, to be read and written soon.
///
/// The empty statement makes it an effect: GCC leaves out calls of functions that have none, such as one that
/// only prefetches.
inline void prefetch_line(const void* address) {
  __builtin_prefetch(address, 1);
  asm volatile("");
}

/// The same of `bytes` from `address` on: of every 64th byte.
inline void prefetch_lines(const void* address, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += 64) prefetch_line(static_cast<const char*>(address) + at);
}

}  // namespace lightrail
