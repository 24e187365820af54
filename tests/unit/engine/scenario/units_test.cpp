#include "engine/scenario/units.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <string>

using namespace lightrail;

namespace {

template <class T>
T parsed(const std::string& text) {
  T value{};
  CHECK(parse_value(text, value) == "");
  return value;
}
template <class T>
std::string problem(const std::string& text) {
  T value{};
  return parse_value(text, value);
}

}  // namespace

TEST_CASE("times are exact picoseconds") {
  CHECK(parsed<SimTime>("1 ps") == picoseconds(1));
  CHECK(parsed<SimTime>("0.1 ns") == picoseconds(100));
  CHECK(parsed<SimTime>("490ns") == nanoseconds(490));
  CHECK(parsed<SimTime>(" 2.5 us ") == nanoseconds(2'500));
  CHECK(parsed<SimTime>("0.000000000001 s") == picoseconds(1));
  CHECK(parsed<SimTime>("1e-12 s") == picoseconds(1));
  CHECK(parsed<SimTime>("2 min") == milliseconds(120'000));
  CHECK(parsed<SimTime>("1.5 h").count() == 5'400'000'000'000'000);
  CHECK(parsed<SimTime>("2 d") == milliseconds(172'800'000));
  CHECK(parsed<SimTime>("0 s") == picoseconds(0));
  CHECK(parsed<SimTime>("never") == time_never);
  CHECK(parsed<SimTime>("9223372.036854775806 s").count() == std::numeric_limits<std::int64_t>::max() - 1);
}

TEST_CASE("sizes are decimal or binary bytes") {
  CHECK(parsed<Bytes>("4 KiB").value == 4096);
  CHECK(parsed<Bytes>("4 kB").value == 4000);
  CHECK(parsed<Bytes>("0.5 KiB").value == 512);
  CHECK(parsed<Bytes>("80 GiB").value == 85'899'345'920);
  CHECK(parsed<Bytes>("1.5 TB").value == 1'500'000'000'000);
  CHECK(parsed<Bytes>("1000000000000000000 B").value == 1'000'000'000'000'000'000);
}

TEST_CASE("bandwidths are bits a second, bytes count eight") {
  CHECK(parsed<BitRate>("400 Gb/s").value == 400'000'000'000);
  CHECK(parsed<BitRate>("50 GB/s").value == 400'000'000'000);
  CHECK(parsed<BitRate>("1.6 Tb/s").value == 1'600'000'000'000);
  CHECK(parsed<BitRate>("1 GiB/s").value == 8'589'934'592);
  CHECK(parsed<BitRate>("0.125 B/s").value == 1);
}

TEST_CASE("real quantities are rounded once, whatever their prefix") {
  CHECK(parsed<Flops>("989.4 TFLOP/s").value == 989.4e12);
  CHECK(parsed<PowerDbm>("-3.1 dBm").value == -3.1);
  CHECK(parsed<Decibel>("0.25 dB").value == 0.25);
  CHECK(parsed<Watts>("700 W").value == 700.0);
  CHECK(parsed<Watts>("1.6 kW").value == 1600.0);
  CHECK(parsed<Metres>("2 km").value == 2000.0);
  CHECK(parsed<Metres>("30 cm").value == 0.3);
  CHECK(parsed<Dollars>("1.5 kUSD").value == 1500.0);
  CHECK(parsed<double>("1e-3") == 1e-3);
  CHECK(parsed<double>("-0.5") == -0.5);
}

TEST_CASE("plain numbers, switches and texts") {
  CHECK(parsed<std::int64_t>("-42") == -42);
  CHECK(parsed<std::int64_t>("1e6") == 1'000'000);
  CHECK(parsed<std::uint32_t>("4294967295") == 4294967295u);
  CHECK(parsed<bool>("on"));
  CHECK_FALSE(parsed<bool>("no"));
  CHECK(parsed<std::string>("a b") == "a b");
}

TEST_CASE("a missing unit is an error that lists units") {
  CHECK(problem<BitRate>("800") ==
        "invalid bandwidth '800' (expected a number with a unit: Gb/s, GB/s, Tb/s)");
  CHECK(problem<SimTime>("5") == "invalid time '5' (expected a number with a unit: ns, us, ms, s, min, h)");
  CHECK(problem<Bytes>("") == "invalid size '' (expected a number with a unit: B, KiB, MiB, GB)");
  CHECK(problem<Bytes>("many") == "invalid size 'many' (expected a number with a unit: B, KiB, MiB, GB)");
  CHECK(problem<Metres>("5") == "invalid length '5' (expected a number with a unit: m, km)");
  CHECK(problem<Watts>("5") == "invalid power '5' (expected a number with a unit: mW, W, kW)");
  CHECK(problem<Dollars>("5") == "invalid price '5' (expected a number with a unit: USD)");
  CHECK(problem<PowerDbm>("5 dB") ==
        "invalid optical power '5 dB' (expected a number with a unit: dBm; did you mean 'dBm'?)");
  CHECK(problem<Decibel>("5 W") == "invalid gain or loss '5 W' (expected a number with a unit: dB)");
  CHECK(problem<Flops>("5") ==
        "invalid compute rate '5' (expected a number with a unit: GFLOP/s, TFLOP/s, PFLOP/s)");
}

TEST_CASE("a misspelt unit is answered with the one meant") {
  CHECK(
      problem<BitRate>("800 Gbs") ==
      "invalid bandwidth '800 Gbs' (expected a number with a unit: Gb/s, GB/s, Tb/s; did you mean 'Gb/s'?)");
  CHECK(problem<Flops>("989 TFLOPs") ==
        "invalid compute rate '989 TFLOPs' (expected a number with a unit: GFLOP/s, TFLOP/s, PFLOP/s; did "
        "you mean "
        "'TFLOP/s'?)");
}

TEST_CASE("values that the type cannot hold exactly are refused, not rounded") {
  CHECK(problem<SimTime>("0.5 ps") == "invalid time '0.5 ps' (finer than 1 ps)");
  CHECK(problem<Bytes>("0.3 KiB") == "invalid size '0.3 KiB' (finer than 1 B)");
  CHECK(problem<BitRate>("1.00000000000000000000000001 b/s") ==
        "invalid bandwidth '1.00000000000000000000000001 b/s' (finer than 1 bit/s)");
  CHECK(problem<Bytes>("1e-400 B") == "invalid size '1e-400 B' (finer than 1 B)");
  CHECK(problem<SimTime>("107 h").empty());
  CHECK(problem<SimTime>("2563 h") == "invalid time '2563 h' (too large, at most 9.2e18 ps)");
  CHECK(problem<Bytes>("1e19 B") == "invalid size '1e19 B' (too large, at most 9.2e18 B)");
  CHECK(problem<Bytes>("1e999999999 PB") == "invalid size '1e999999999 PB' (too large, at most 9.2e18 B)");
  CHECK(problem<BitRate>("99999999999999999999999999999999999999999 Tb/s").find("too large") !=
        std::string::npos);
  CHECK(problem<Flops>("1e400 FLOP/s") ==
        "invalid compute rate '1e400 FLOP/s' (out of the range of a double)");
  CHECK(problem<double>("1e400") == "invalid number '1e400' (out of the range of a double)");
  CHECK(problem<std::int64_t>("9223372036854775808") ==
        "invalid number '9223372036854775808' (too large, at most 9223372036854775807)");
  CHECK(problem<std::uint32_t>("4294967296") ==
        "invalid number '4294967296' (too large, at most 4294967295)");
}

TEST_CASE("negative values are refused where they mean nothing") {
  CHECK(problem<SimTime>("-1 us") == "invalid time '-1 us' (must not be negative)");
  CHECK(problem<Bytes>("-4 KiB") == "invalid size '-4 KiB' (must not be negative)");
  CHECK(problem<Watts>("-4 W") == "invalid power '-4 W' (must not be negative)");
  CHECK(problem<std::uint32_t>("-1") == "invalid number '-1' (must not be negative)");
}

TEST_CASE("numbers without unit refuse units, fractions and words") {
  CHECK(problem<double>("5 m") == "invalid number '5 m' (expected a number without unit)");
  CHECK(problem<double>("nan") == "invalid number 'nan' (expected a number without unit)");
  CHECK(problem<std::int64_t>("5 m") == "invalid number '5 m' (expected a whole number without unit)");
  CHECK(problem<std::int64_t>("2.5") == "invalid number '2.5' (expected a whole number)");
  CHECK(problem<std::uint32_t>("0x10") == "invalid number '0x10' (expected a whole number without unit)");
  CHECK(problem<std::string>("") == "invalid text '' (must not be empty)");
  CHECK(problem<bool>("maybe") == "invalid choice 'maybe' (one of on, off, true, false, yes, no)");
}

TEST_CASE("values print shortest, with the unit, and read back") {
  CHECK(format_value(microseconds(5)) == "5 us");
  CHECK(format_value(picoseconds(1'500)) == "1.5 ns");
  CHECK(format_value(nanoseconds(500)) == "500 ns");
  CHECK(format_value(picoseconds(0)) == "0 s");
  CHECK(format_value(time_never) == "never");
  CHECK(format_value(Bytes{4096}) == "4 KiB");
  CHECK(format_value(Bytes{1'000'000}) == "1 MB");
  CHECK(format_value(Bytes{1}) == "1 B");
  CHECK(format_value(BitRate{400'000'000'000}) == "400 Gb/s");
  CHECK(format_value(BitRate{106'250'000'000}) == "106.25 Gb/s");
  CHECK(format_value(Flops{989.4e12}) == "989.4 TFLOP/s");
  CHECK(format_value(Watts{700}) == "700 W");
  CHECK(format_value(PowerDbm{-3.1}) == "-3.1 dBm");
  CHECK(format_value(Metres{2000}) == "2 km");
  CHECK(format_value(Metres{0}) == "0 m");
  CHECK(format_value(0.1) == "0.1");
  CHECK(format_value(true) == "on");
  for (std::int64_t n : {1LL, 7LL, 1'234'567'890'123LL, 9'223'372'036'854'775'806LL}) {
    CHECK(parsed<SimTime>(format_value(SimTime{n})).count() == n);
    CHECK(parsed<Bytes>(format_value(Bytes{n})).value == n);
    CHECK(parsed<BitRate>(format_value(BitRate{n})).value == n);
  }
  for (double x : {1e-30, 0.1, 1.0 / 3.0, 6.02e23, 989.4e12}) {
    CHECK(parsed<Watts>(format_value(Watts{x})).value == x);
    CHECK(parsed<Flops>(format_value(Flops{x})).value == x);
  }
}

TEST_CASE("every type names itself and its unit") {
  CHECK(unit_type<BitRate>() == "bandwidth");
  CHECK(unit_name<BitRate>() == "bit/s");
  CHECK(unit_name<SimTime>() == "ps");
  CHECK(unit_name<Bytes>() == "B");
  CHECK(unit_type<bool>() == "switch");
  CHECK(unit_name<double>() == "1");
}
