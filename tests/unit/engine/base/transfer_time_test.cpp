#include "engine/base/transfer_time.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>

#include "engine/base/bytes_in.hpp"
#include "engine/base/error.hpp"

using namespace lightrail;

namespace {
constexpr std::int64_t max64 = std::numeric_limits<std::int64_t>::max();
}

// time = ceil(bytes * 8 * 10^12 / rate)
TEST_CASE("a packet of 4 KiB occupies a 400 Gb/s line for 81,920 ps") {
  CHECK(transfer_time(Bytes{4096}, BitRate{400'000'000'000}) == picoseconds(81'920));
}

TEST_CASE("a transfer that is not a whole number of picoseconds rounds up") {
  CHECK(transfer_time(Bytes{1}, BitRate{3'000'000'000'000}) == picoseconds(3));  // 2.67 ps
  CHECK(transfer_time(Bytes{3}, BitRate{3'000'000'000'000}) == picoseconds(8));  // exactly 8 ps
  CHECK(transfer_time(Bytes{1}, BitRate{max64}) == picoseconds(1));              // 0.87 microps
}

TEST_CASE("nothing takes no time") {
  CHECK(transfer_time(Bytes{0}, BitRate{1}) == picoseconds(0));
}

TEST_CASE("products beyond 64 bits stay exact") {
  // 10^18 B at 8 * 10^12 bit/s = 10^18 ps, whose product is 8 * 10^30.
  CHECK(transfer_time(Bytes{1'000'000'000'000'000'000}, BitRate{8'000'000'000'000}).count() ==
        1'000'000'000'000'000'000);
  CHECK(transfer_time(Bytes{1'000'000'000'000'000'001}, BitRate{8'000'000'000'000}).count() ==
        1'000'000'000'000'000'001);
}

TEST_CASE("a transfer longer than the clock saturates at never") {
  CHECK(transfer_time(Bytes{max64}, BitRate{1}) == time_never);
  CHECK(transfer_time(Bytes{max64}, BitRate{8'000'000'000'000}) == time_never);
  CHECK(transfer_time(Bytes{max64 - 1}, BitRate{8'000'000'000'000}).count() == max64 - 1);
}

TEST_CASE("negative bytes and a rate of zero break the contract") {
  CHECK_THROWS_AS(transfer_time(Bytes{-1}, BitRate{1}), ContractError);
  CHECK_THROWS_AS(transfer_time(Bytes{1}, BitRate{0}), ContractError);
}

TEST_CASE("what a line carries in a time is rounded down, and fills it no more than that") {
  CHECK(bytes_in(nanoseconds(1), BitRate{400'000'000'000}) == 50);
  CHECK(bytes_in(nanoseconds(1) - SimTime{1}, BitRate{400'000'000'000}) == 49);
  CHECK(bytes_in(SimTime{1'000'000'000'000'000'000}, BitRate{8'000'000'000'000}) ==
        1'000'000'000'000'000'000);
}
