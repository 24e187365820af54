#pragma once
#include <compare>
#include <cstdint>

namespace lightrail {

/// A number whose unit is its type. Tag names the unit, Rep holds the value.
template <class Tag, class Rep = std::int64_t>
struct Quantity {
  Rep value{};

  constexpr Quantity() = default;
  constexpr explicit Quantity(Rep v) : value(v) {}
  // clang-tidy 14 takes the 0 that the compiler compares with for a pointer.
  constexpr auto operator<=>(const Quantity&) const = default;  // NOLINT(modernize-use-nullptr)
  constexpr Quantity& operator+=(Quantity o) { return value += o.value, *this; }
  constexpr Quantity& operator-=(Quantity o) { return value -= o.value, *this; }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.value + b.value}; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.value - b.value}; }
};

using Bytes = Quantity<struct BytesTag>;                ///< [B]
using BitRate = Quantity<struct BitRateTag>;            ///< [bit/s]
using Flops = Quantity<struct FlopsTag, double>;        ///< floating-point operations per second [1/s]
using PowerDbm = Quantity<struct PowerDbmTag, double>;  ///< optical power [dBm]
using Decibel = Quantity<struct DecibelTag, double>;    ///< gain or loss [dB]
using Watts = Quantity<struct WattsTag, double>;        ///< electrical power [W]
using Metres = Quantity<struct MetresTag, double>;      ///< length [m]
using Dollars = Quantity<struct DollarsTag, double>;    ///< price [USD]

}  // namespace lightrail
