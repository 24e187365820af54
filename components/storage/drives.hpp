#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/base/transfer_time.hpp"
#include "engine/model/state_io.hpp"

namespace lightrail {

/// What one direction of a drive does.
struct DriveSpeed {
  BitRate rate{};
  SimTime latency{};
};

/// The drives of a storage server: stripes go to them in turn, each serves its stripes in the order of
/// asking. A drive is busy for bytes / rate a stripe; its latency adds to each stripe but overlaps with other
/// stripes (queue depth).
class Drives {
 public:
  explicit Drives(std::uint32_t count) : free_at_(count) {}

  /// When a stripe asked for now is read or written.
  SimTime serve(std::int64_t bytes, SimTime now, const DriveSpeed& speed) {
    SimTime& free_at = free_at_[next_];
    next_ = (next_ + 1) % static_cast<std::uint32_t>(free_at_.size());
    free_at = std::max(free_at, now) + transfer_time(Bytes{bytes}, speed.rate);
    return free_at + speed.latency;
  }

  void save(StateWriter& out) const { out.put(free_at_), out.put(next_); }
  void load(StateReader& in) { in.get(free_at_), in.get(next_); }

 private:
  std::vector<SimTime> free_at_;
  std::uint32_t next_ = 0;
};

}  // namespace lightrail
