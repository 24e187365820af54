#pragma once

namespace lightrail {

/// Asks for the cache line of `address`, which need not be valid, to be read and written soon.
///
/// The empty statement makes it an effect: GCC leaves out calls of functions that have none, such as one that
/// only prefetches.
inline void prefetch_line(const void* address) {
  __builtin_prefetch(address, 1);
  asm volatile("");
}

}  // namespace lightrail
