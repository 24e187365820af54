#pragma once
#include <algorithm>
#include <cstdint>

#include "engine/base/time.hpp"

namespace lightrail {

/// The multiprocessors of a GPU, of which communication kernels hold some while they run, waiting included;
/// other kernels have the rest and take as much longer. At most half are held: NCCL leaves room for the
/// kernels it waits for. Leaves out: memory bandwidth that communication takes from kernels bound by it.
class SharedSms {
 public:
  explicit SharedSms(std::uint32_t sms) : sms_(std::max(1u, sms)) {}
  /// Time that `work`, timed on all multiprocessors, takes while `held` are held.
  SimTime time_of(SimTime work, std::uint32_t held) const {
    if (held == 0) return work;
    const Wide left = sms_ - bounded(held);
    return SimTime{static_cast<std::int64_t>((Wide{work.count()} * sms_ + left - 1) / left)};
  }
  /// Work done in `time`.
  SimTime work_in(SimTime time, std::uint32_t held) const {
    if (held == 0) return time;
    return SimTime{static_cast<std::int64_t>(Wide{time.count()} * (sms_ - bounded(held)) / sms_)};
  }

 private:
  __extension__ typedef __int128 Wide;
  std::uint32_t bounded(std::uint32_t held) const { return std::min(held, sms_ / 2); }
  std::uint32_t sms_;
};

}  // namespace lightrail
