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
  [[nodiscard, gnu::always_inline]] SimTime of(std::uint32_t bytes) const { return line_time(bytes, rate_); }

 private:
  BitRate rate_{};
};

/// The time of one byte on one line after another: divides only where the rate is another than before.
class ByteTime {
 public:
  [[nodiscard]] SimTime on(LineTime line) {
    if (line.rate() != line_.rate()) {
      line_ = line;
      time_ = line.of(1);
    }
    return time_;
  }

 private:
  LineTime line_;   ///< at first of rate 0, which takes no time
  SimTime time_{};  ///< of one byte on line_
};

}  // namespace lightrail
