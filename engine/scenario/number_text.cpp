#include "engine/scenario/number_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/base/wide.hpp"

namespace lightrail {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void drop_zeros(NumberText& number) {
  auto& digits = number.digits;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  while (!digits.empty() && digits.back() == '0') digits.pop_back(), ++number.exponent;
  if (digits.empty()) number.exponent = 0;
}

/// Large enough for every double, small enough never to overflow an int when added to.
int bounded_exponent(const std::string& text, std::size_t from, std::size_t to) {
  int value = 0;
  for (std::size_t i = from; i < to; ++i) value = std::min(100'000, value * 10 + (text[i] - '0'));
  return value;
}

}  // namespace

bool split_number(const std::string& text, NumberText& number) {
  number = {};
  std::size_t i = 0;
  while (i < text.size() && is_blank(text[i])) ++i;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) number.is_negative = text[i++] == '-';
  const std::size_t first = i;
  while (i < text.size() && is_digit(text[i])) number.digits += text[i++];
  if (i == first) return false;
  if (i + 1 < text.size() && text[i] == '.' && is_digit(text[i + 1]))
    for (++i; i < text.size() && is_digit(text[i]); ++i) number.digits += text[i], --number.exponent;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t j = i + 1;
    const bool is_negative = j < text.size() && text[j] == '-';
    if (j < text.size() && (text[j] == '+' || text[j] == '-')) ++j;
    const std::size_t start = j;
    while (j < text.size() && is_digit(text[j])) ++j;
    if (j > start) {  // otherwise the letter belongs to a unit
      const int exponent = bounded_exponent(text, start, j);
      number.exponent += is_negative ? -exponent : exponent;
      i = j;
    }
  }
  drop_zeros(number);
  while (i < text.size() && is_blank(text[i])) ++i;
  std::size_t end = text.size();
  while (end > i && is_blank(text[end - 1])) --end;
  number.unit = text.substr(i, end - i);
  return true;
}

std::string plain_decimal(const NumberText& number) {
  if (number.digits.empty()) return "0";
  const std::string sign = number.is_negative ? "-" : "";
  const int size = static_cast<int>(number.digits.size());
  if (number.exponent >= 0) return sign + number.digits + std::string(number.exponent, '0');
  const int point = size + number.exponent;
  if (point > 0) return sign + number.digits.substr(0, point) + "." + number.digits.substr(point);
  return sign + "0." + std::string(-point, '0') + number.digits;
}

ScaleResult scale_to_integer(const NumberText& number, std::uint64_t factor, int exponent10,
                             std::uint64_t& value) {
  value = 0;
  if (number.digits.empty()) return ScaleResult::exact;
  int exponent = number.exponent + exponent10;
  const int size = static_cast<int>(number.digits.size());
  if (size + exponent > 20) return ScaleResult::too_large;
  if (size > 24 || exponent < -40) return ScaleResult::too_fine;  // more digits than 64 bits times any unit
  UnsignedWide wide = 0;
  for (char digit : number.digits) wide = wide * 10 + static_cast<UnsignedWide>(digit - '0');
  for (; exponent < 0 && factor % 10 == 0; ++exponent) factor /= 10;
  if (__builtin_mul_overflow(wide, static_cast<UnsignedWide>(factor), &wide)) return ScaleResult::too_large;
  for (; exponent < 0; ++exponent) {
    if (wide % 10 != 0) return ScaleResult::too_fine;
    wide /= 10;
  }
  for (; exponent > 0; --exponent)
    if (__builtin_mul_overflow(wide, static_cast<UnsignedWide>(10), &wide)) return ScaleResult::too_large;
  value = static_cast<std::uint64_t>(wide);
  return wide > ~std::uint64_t{0} ? ScaleResult::too_large : ScaleResult::exact;
}

bool scale_to_double(const NumberText& number, int exponent10, double& value) {
  value = 0;
  if (number.digits.empty()) return true;
  const std::string text = number.digits + "e" + std::to_string(number.exponent + exponent10);
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (number.is_negative) value = -value;
  return result.ec == std::errc{} && std::isfinite(value);
}

NumberText shortest_number(double value) {
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  NumberText number;
  if (!split_number(std::string(buffer, result.ptr), number)) number.unit = std::string(buffer, result.ptr);
  return number;
}

}  // namespace lightrail
