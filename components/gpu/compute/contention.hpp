#pragma once
#include <algorithm>
#include <cstdint>

#include "components/gpu/compute/compute_model.hpp"
#include "engine/base/wide.hpp"
#include "network/health/pace_change.hpp"

namespace lightrail {

/// What running communication, a throttle or a fault takes from a GPU's kernels.
struct Interference {
  std::int64_t sms = 0;     ///< multiprocessors, held from begin to end, waiting included
  std::int64_t memory = 0;  ///< traffic of the memory [bit/s]
  std::int64_t lost = 0;    ///< of all kernels' speed, in millionths (PaceChange)

  /// No kernel goes on.
  [[nodiscard]] bool stops_all() const { return lost == all_speed; }

  friend bool operator==(const Interference&, const Interference&) = default;
  friend Interference operator+(const Interference& a, const Interference& b) {
    return {a.sms + b.sms, a.memory + b.memory, a.lost + b.lost};
  }
  friend Interference operator-(const Interference& a, const Interference& b) {
    return {a.sms - b.sms, a.memory - b.memory, a.lost - b.lost};
  }
};

/// How much longer kernels take beside communication, and on a GPU that is slow for a while. At most half is
/// taken: NCCL leaves room for the kernels it waits for.
class Contention {
 public:
  /// `max_traffic`: traffic of the memory that communication makes where it fills all lines of the GPU, which
  /// collectives that run at once share.
  Contention(std::uint32_t sms, BitRate memory, BitRate max_traffic)
      : sms_(std::max(1u, sms)),
        memory_(std::max<std::int64_t>(1, memory.value)),
        max_traffic_(max_traffic.value) {}
  /// Time that `work`, timed on an idle GPU, takes beside `interference`, which must not stop all.
  [[nodiscard]] SimTime time_of(SimTime work, Bound bound, const Interference& interference) const {
    if (interference == Interference{}) return work;
    const Share left = left_of(bound, interference);
    return SimTime{static_cast<std::int64_t>((work.count() * left.all + left.rest - 1) / left.rest)};
  }
  /// Work done in `time`.
  [[nodiscard]] SimTime work_in(SimTime time, Bound bound, const Interference& interference) const {
    if (interference == Interference{}) return time;
    const Share left = left_of(bound, interference);
    return SimTime{static_cast<std::int64_t>(time.count() * left.rest / left.all)};
  }

 private:
  /// rest / all; all is below 2^67, and kernels take at most 2^60 ps (longest_kernel): products fit.
  struct Share {
    Wide rest, all;
  };
  [[nodiscard]] Share left_of(Bound bound, const Interference& interference) const {
    const Share kept{all_speed - interference.lost, all_speed};
    if (bound == Bound::fixed) return kept;
    const std::int64_t all = bound == Bound::memory ? memory_ : sms_;
    const std::int64_t gone =
        bound == Bound::memory ? std::min(interference.memory, max_traffic_) : interference.sms;
    return {kept.rest * (all - std::min(gone, all / 2)), kept.all * all};
  }
  std::int64_t sms_, memory_, max_traffic_;
};

}  // namespace lightrail
