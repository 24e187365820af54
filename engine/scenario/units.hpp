#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"

namespace lightrail {

/// Text with a unit -> typed value. Returns "" or what is wrong: "invalid bandwidth '800' (expected a number
/// with a unit: Gb/s, GB/s, Tb/s)". Decimal (kB, MB, GB) and binary (KiB, MiB, GiB) bytes; bit rates in b/s
/// and B/s with k M G T; times ps ns us ms s min h; dBm, dB, W, m, km, USD; TFLOP/s. Exact: no rounding below
/// the type's resolution.
[[nodiscard]] std::string parse_value(const std::string& text, SimTime& value);
[[nodiscard]] std::string parse_value(const std::string& text, Bytes& value);
[[nodiscard]] std::string parse_value(const std::string& text, BitRate& value);
[[nodiscard]] std::string parse_value(const std::string& text, Flops& value);
[[nodiscard]] std::string parse_value(const std::string& text, PowerDbm& value);
[[nodiscard]] std::string parse_value(const std::string& text, Decibel& value);
[[nodiscard]] std::string parse_value(const std::string& text, Watts& value);
[[nodiscard]] std::string parse_value(const std::string& text, Metres& value);
[[nodiscard]] std::string parse_value(const std::string& text, Dollars& value);
[[nodiscard]] std::string parse_value(const std::string& text, double& value);
[[nodiscard]] std::string parse_value(const std::string& text, std::int64_t& value);
[[nodiscard]] std::string parse_value(const std::string& text, std::uint32_t& value);
[[nodiscard]] std::string parse_value(const std::string& text, bool& value);  ///< on/off, true/false, yes/no
[[nodiscard]] std::string parse_value(const std::string& text, std::string& value);  ///< not empty

[[nodiscard]] std::string format_value(SimTime value);  ///< shortest exact text with unit: "5 us"
[[nodiscard]] std::string format_value(Bytes value);
[[nodiscard]] std::string format_value(BitRate value);
[[nodiscard]] std::string format_value(Flops value);
[[nodiscard]] std::string format_value(PowerDbm value);
[[nodiscard]] std::string format_value(Decibel value);
[[nodiscard]] std::string format_value(Watts value);
[[nodiscard]] std::string format_value(Metres value);
[[nodiscard]] std::string format_value(Dollars value);
[[nodiscard]] std::string format_value(double value);
[[nodiscard]] std::string format_value(std::int64_t value);
[[nodiscard]] std::string format_value(std::uint32_t value);
[[nodiscard]] std::string format_value(bool value);
[[nodiscard]] std::string format_value(const std::string& value);

/// "invalid choice 'adaptiv' (one of static, ecmp, adaptive; did you mean 'adaptive'?)".
[[nodiscard]] std::string invalid_choice(const std::string& text, const std::vector<std::string>& choices);

/// Name of the type and of the unit of a parameter: "bandwidth", "bit/s". Defined for every type above.
template <class T>
[[nodiscard]] std::string unit_type();
template <class T>
[[nodiscard]] std::string unit_name();

}  // namespace lightrail
