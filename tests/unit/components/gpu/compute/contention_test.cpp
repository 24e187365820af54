#include "components/gpu/compute/contention.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace lightrail;

namespace {

const Contention contention(100, BitRate{1'000}, BitRate{400});

}  // namespace

TEST_CASE(
    "communication takes multiprocessors from one kind of kernel, bandwidth from another, nothing from a "
    "third") {
  const Interference beside{.sms = 20, .memory = 200};
  CHECK(contention.time_of(SimTime{800}, Bound::compute, beside) == SimTime{1000});
  CHECK(contention.time_of(SimTime{800}, Bound::memory, beside) == SimTime{1000});
  CHECK(contention.time_of(SimTime{800}, Bound::fixed, beside) == SimTime{800});
  CHECK(contention.work_in(SimTime{1000}, Bound::compute, beside) == SimTime{800});
}

TEST_CASE("a throttled GPU takes more time for all kernels, beside communication in proportion") {
  const Interference slow{.lost = 600'000};
  for (const Bound bound : {Bound::compute, Bound::memory, Bound::fixed}) {
    CHECK(contention.time_of(SimTime{1000}, bound, slow) == SimTime{2500});
    CHECK(contention.work_in(SimTime{2500}, bound, slow) == SimTime{1000});
  }
  CHECK(contention.time_of(SimTime{800}, Bound::compute, slow + Interference{.sms = 20}) == SimTime{2500});
}

TEST_CASE("of a time that work takes no less than the work is done, whatever the shares") {
  for (std::int64_t lost = 0; lost < all_speed; lost += 99'991)
    for (std::int64_t sms = 0; sms < 100; sms += 7) {
      const Interference beside{.sms = sms, .lost = lost};
      const SimTime time = contention.time_of(SimTime{987'654'321}, Bound::compute, beside);
      CHECK(contention.work_in(time, Bound::compute, beside) >= SimTime{987'654'321});
    }
}

TEST_CASE("a GPU that stands still does nothing") {
  const Interference still{.lost = all_speed};
  CHECK(still.stops_all());
  CHECK(contention.work_in(SimTime{1000}, Bound::compute, still) == SimTime{0});
  CHECK_FALSE(Interference{.sms = 5}.stops_all());
}
