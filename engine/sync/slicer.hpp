#pragma once
#include <cstdint>

#include "engine/base/error.hpp"
#include "engine/base/time.hpp"
#include "engine/base/wide.hpp"

namespace lightrail {

/// Number of the slice a time falls into: time / width by a multiplication.
class Slicer {
 public:
  explicit Slicer(SimTime width)
      : width_(static_cast<std::uint64_t>(width.count())), reciprocal_(~std::uint64_t{0} / width_) {
    LIGHTRAIL_EXPECT(width >= SimTime{1});
  }
  [[nodiscard]] std::int64_t slice_of(SimTime time) const {
    const auto t = static_cast<std::uint64_t>(time.count());
    auto slice = static_cast<std::uint64_t>(static_cast<UnsignedWide>(t) * reciprocal_ >> 64);
    // With t < 2^63 and a reciprocal short by less than 2 (out of 2^64), the quotient is short by at most 1.
    if (t - slice * width_ >= width_) ++slice;
    return static_cast<std::int64_t>(slice);
  }
  /// First time of a slice; saturates at time_never.
  [[nodiscard]] SimTime start_of(std::int64_t slice) const {
    std::int64_t start = 0;
    return __builtin_mul_overflow(slice, static_cast<std::int64_t>(width_), &start) ? time_never
                                                                                    : SimTime{start};
  }
  [[nodiscard]] SimTime width() const { return SimTime{static_cast<std::int64_t>(width_)}; }

 private:
  std::uint64_t width_, reciprocal_;
};

}  // namespace lightrail
