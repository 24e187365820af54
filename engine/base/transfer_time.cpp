#include "engine/base/transfer_time.hpp"

#include "engine/base/error.hpp"
#include "engine/base/wide.hpp"

namespace lightrail {

SimTime transfer_time(Bytes bytes, BitRate rate) {
  LIGHTRAIL_EXPECT(bytes.value >= 0 && rate.value > 0);
  constexpr UnsignedWide bits_times_ps_per_second = 8'000'000'000'000;
  const auto divisor = static_cast<UnsignedWide>(rate.value);
  const UnsignedWide time =
      (static_cast<UnsignedWide>(bytes.value) * bits_times_ps_per_second + divisor - 1) / divisor;
  return time >= static_cast<UnsignedWide>(time_never.count()) ? time_never
                                                               : SimTime{static_cast<std::int64_t>(time)};
}

}  // namespace lightrail
