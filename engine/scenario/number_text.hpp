#pragma once
#include <cstdint>
#include <string>

namespace lightrail {

/// A decimal number as written: digits * 10^exponent, then whatever follows (the unit). Nothing is rounded.
struct NumberText {
  bool is_negative = false;
  std::string digits;  ///< no leading and no trailing zeros; empty: zero
  int exponent = 0;
  std::string unit;  ///< without surrounding blanks
};

/// "12.5e3 Gb/s" -> {125, 2, "Gb/s"}. False: the text does not start with a number.
[[nodiscard]] bool split_number(const std::string& text, NumberText& number);

/// digits * 10^exponent with the shortest ordinary notation: "12500", "0.004".
[[nodiscard]] std::string plain_decimal(const NumberText& number);

enum class ScaleResult : std::uint8_t { exact, too_large, too_fine };

/// |number| * factor * 10^exponent10 as an integer; too_fine: it has a fraction left. The sign is not
/// applied.
[[nodiscard]] ScaleResult scale_to_integer(const NumberText& number, std::uint64_t factor, int exponent10,
                                           std::uint64_t& value);

/// number * 10^exponent10, correctly rounded. False: out of the range of a double.
[[nodiscard]] bool scale_to_double(const NumberText& number, int exponent10, double& value);

/// Shortest digits that read back as `value`, without unit.
[[nodiscard]] NumberText shortest_number(double value);

}  // namespace lightrail
