#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "engine/base/error.hpp"
#include "engine/scenario/number_text.hpp"
#include "engine/scenario/unit_table.hpp"
#include "engine/scenario/units.hpp"

namespace lightrail {

namespace {

/// "500 ns" before "0.5 us", then the shorter text, then the larger unit: "106.25 Gb/s" before "106250 Mb/s".
bool is_nicer(const std::string& text, const std::string& than) {
  if (than.empty()) return true;
  const bool is_part = text.rfind("0.", 0) == 0, was_part = than.rfind("0.", 0) == 0;
  if (is_part != was_part) return was_part;
  if (text.size() != than.size()) return text.size() < than.size();
  return text.find_first_of(". ") < than.find_first_of(". ");
}

/// The shortest text over all units; a unit with a factor joins where it divides evenly.
std::string shortest(const UnitTable& table, const NumberText& number, std::int64_t whole, bool is_integer) {
  std::string best;
  for (const Unit& unit : table.units) {
    if (!unit.is_for_output) continue;
    NumberText scaled = number;
    const auto factor = static_cast<std::int64_t>(unit.factor);
    if (factor > 1) {
      if (!is_integer || whole == 0 || whole % factor != 0) continue;
      LIGHTRAIL_EXPECT(split_number(std::to_string(whole / factor), scaled));
    }
    if (!scaled.digits.empty()) scaled.exponent -= unit.exponent;
    if (scaled.exponent > 30 || scaled.exponent < -30) continue;
    const std::string text = plain_decimal(scaled) + " " + unit.name;
    if (is_nicer(text, best)) best = text;
  }
  return best;
}

std::string format_integer(const UnitTable& table, std::int64_t value) {
  NumberText number;
  LIGHTRAIL_EXPECT(split_number(std::to_string(value), number));
  return shortest(table, number, value, true);
}

std::string format_real(const UnitTable& table, double value) {
  const NumberText number = shortest_number(value);
  const std::string text = shortest(table, number, 0, false);
  return text.empty() ? fmt::format("{} {}", value, table.resolution) : text;
}

}  // namespace

std::string format_value(SimTime value) {
  return value == time_never ? "never" : format_integer(time_units, value.count());
}
std::string format_value(Bytes value) {
  return format_integer(byte_units, value.value);
}
std::string format_value(BitRate value) {
  return format_integer(bit_rate_units, value.value);
}
std::string format_value(Flops value) {
  return format_real(flops_units, value.value);
}
std::string format_value(PowerDbm value) {
  return format_real(dbm_units, value.value);
}
std::string format_value(Decibel value) {
  return format_real(decibel_units, value.value);
}
std::string format_value(Watts value) {
  return format_real(watt_units, value.value);
}
std::string format_value(Metres value) {
  return format_real(metre_units, value.value);
}
std::string format_value(Dollars value) {
  return format_real(dollar_units, value.value);
}
std::string format_value(double value) {
  return fmt::format("{}", value);
}
std::string format_value(std::int64_t value) {
  return std::to_string(value);
}
std::string format_value(std::uint32_t value) {
  return std::to_string(value);
}
std::string format_value(bool value) {
  return value ? "on" : "off";
}
std::string format_value(const std::string& value) {
  return value;
}

#define LIGHTRAIL_UNIT(Type, type_text, unit_text) \
  template <>                                      \
  std::string unit_type<Type>() {                  \
    return type_text;                              \
  }                                                \
  template <>                                      \
  std::string unit_name<Type>() {                  \
    return unit_text;                              \
  }
LIGHTRAIL_UNIT(SimTime, time_units.type, time_units.resolution)
LIGHTRAIL_UNIT(Bytes, byte_units.type, byte_units.resolution)
LIGHTRAIL_UNIT(BitRate, bit_rate_units.type, bit_rate_units.resolution)
LIGHTRAIL_UNIT(Flops, flops_units.type, flops_units.resolution)
LIGHTRAIL_UNIT(PowerDbm, dbm_units.type, dbm_units.resolution)
LIGHTRAIL_UNIT(Decibel, decibel_units.type, decibel_units.resolution)
LIGHTRAIL_UNIT(Watts, watt_units.type, watt_units.resolution)
LIGHTRAIL_UNIT(Metres, metre_units.type, metre_units.resolution)
LIGHTRAIL_UNIT(Dollars, dollar_units.type, dollar_units.resolution)
LIGHTRAIL_UNIT(double, "number", "1")
LIGHTRAIL_UNIT(std::int64_t, "whole number", "1")
LIGHTRAIL_UNIT(std::uint32_t, "whole number", "1")
LIGHTRAIL_UNIT(bool, "switch", "")
LIGHTRAIL_UNIT(std::string, "text", "")
#undef LIGHTRAIL_UNIT

}  // namespace lightrail
