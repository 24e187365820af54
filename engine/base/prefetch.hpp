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

/// How many cache lines have some of the `bytes` from `address` on; none where there are no bytes.
[[nodiscard]] constexpr std::size_t lines_with(std::uintptr_t address, std::size_t bytes) {
  return bytes == 0 ? 0 : (address % 64 + bytes + 63) / 64;
}

/// The same as prefetch_line() of all these lines.
inline void prefetch_lines(const void* address, std::size_t bytes) {
  const auto* first = static_cast<const char*>(address);
  const std::size_t lines = lines_with(reinterpret_cast<std::uintptr_t>(first), bytes);
  for (std::size_t line = 0; line < lines; ++line) prefetch_line(first + 64 * line);
}

}  // namespace lightrail
