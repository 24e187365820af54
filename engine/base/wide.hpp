#pragma once
#include <cstdint>

namespace lightrail {

/// 128 bits, for products of two 64-bit numbers before they are divided again. ISO C++ has no such type, GCC
/// and Clang do.
__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

/// a b / divisor, rounded towards 0; it must fit.
[[nodiscard]] constexpr std::int64_t product_over(std::int64_t a, std::int64_t b, std::int64_t divisor) {
  return static_cast<std::int64_t>(static_cast<Wide>(a) * b / divisor);
}

}  // namespace lightrail
