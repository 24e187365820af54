#include "engine/base/transfer_time.hpp"

#include "engine/base/error.hpp"

namespace lightrail {

SimTime transfer_time(Bytes bytes, BitRate rate) {
  LIGHTRAIL_EXPECT(bytes.value >= 0 && rate.value > 0);
  __extension__ using Wide = unsigned __int128;
  constexpr Wide bits_times_ps_per_second = 8'000'000'000'000;
  const auto divisor = static_cast<Wide>(rate.value);
  const Wide time = (static_cast<Wide>(bytes.value) * bits_times_ps_per_second + divisor - 1) / divisor;
  return time >= static_cast<Wide>(time_never.count()) ? time_never
                                                       : SimTime{static_cast<std::int64_t>(time)};
}

}  // namespace lightrail
