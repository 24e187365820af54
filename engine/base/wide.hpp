#pragma once

namespace lightrail {

/// 128 bits, for products of two 64-bit numbers before they are divided again. ISO C++ has no such type, GCC
/// and Clang do.
__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

}  // namespace lightrail
