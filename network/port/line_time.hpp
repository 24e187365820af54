#pragma once
#include <cstdint>

#include "engine/base/transfer_time.hpp"

namespace lightrail {

/// Serialisation time of trains on one line; rate 0 takes no time.
class LineTime {
 public:
  LineTime() = default;
  explicit LineTime(BitRate rate) : rate_(rate) {}
  [[nodiscard]] BitRate rate() const { return rate_; }
  [[nodiscard]] SimTime of(std::uint32_t bytes) const { return line_time(bytes, rate_); }

 private:
  BitRate rate_{};
};

}  // namespace lightrail
