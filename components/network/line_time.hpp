#pragma once
#include <cstdint>

#include "engine/base/transfer_time.hpp"

namespace lightrail {

/// Serialisation time of trains on one line; rate 0 takes no time. Keeps the last answer, because nearly all
/// trains of a line have the same size and the division is the dearest part of a hop. Not part of the state.
class LineTime {
 public:
  LineTime() = default;
  explicit LineTime(BitRate rate) : rate_(rate) {}
  BitRate rate() const { return rate_; }
  SimTime of(std::uint32_t bytes) {
    if (rate_.value == 0) return SimTime{0};
    if (bytes != bytes_) {
      bytes_ = bytes;
      time_ = transfer_time(Bytes{bytes}, rate_);
    }
    return time_;
  }

 private:
  BitRate rate_{};
  SimTime time_{};
  std::uint32_t bytes_ = 0;
};

}  // namespace lightrail
