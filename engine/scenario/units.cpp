#include "engine/scenario/units.hpp"

#include <fmt/format.h>

#include <limits>

#include "engine/scenario/number_text.hpp"
#include "engine/scenario/scenario.hpp"
#include "engine/scenario/unit_table.hpp"

namespace lightrail {

namespace {

constexpr std::uint64_t kibi = 1024, mebi = kibi * 1024, gibi = mebi * 1024, tebi = gibi * 1024;

constexpr Unit times[] = {{"s", 1, 12},           {"ms", 1, 9},         {"us", 1, 6},
                          {"ns", 1, 3},           {"ps", 1, 0},         {"min", 60, 12, false},
                          {"h", 3600, 12, false}, {"d", 864, 14, false}};
constexpr Unit sizes[] = {{"B", 1, 0},      {"kB", 1, 3},    {"MB", 1, 6},     {"GB", 1, 9},
                          {"TB", 1, 12},    {"PB", 1, 15},   {"KiB", kibi, 0}, {"MiB", mebi, 0},
                          {"GiB", gibi, 0}, {"TiB", tebi, 0}};
constexpr Unit rates[] = {{"b/s", 1, 0},
                          {"kb/s", 1, 3},
                          {"Mb/s", 1, 6},
                          {"Gb/s", 1, 9},
                          {"Tb/s", 1, 12},
                          {"B/s", 8, 0, false},
                          {"kB/s", 8, 3, false},
                          {"MB/s", 8, 6, false},
                          {"GB/s", 8, 9, false},
                          {"TB/s", 8, 12, false},
                          {"KiB/s", 8 * kibi, 0, false},
                          {"MiB/s", 8 * mebi, 0, false},
                          {"GiB/s", 8 * gibi, 0, false},
                          {"TiB/s", 8 * tebi, 0, false}};
constexpr Unit flops[] = {{"FLOP/s", 1, 0},   {"kFLOP/s", 1, 3},  {"MFLOP/s", 1, 6}, {"GFLOP/s", 1, 9},
                          {"TFLOP/s", 1, 12}, {"PFLOP/s", 1, 15}, {"EFLOP/s", 1, 18}};
constexpr Unit dbm[] = {{"dBm", 1, 0}};
constexpr Unit decibels[] = {{"dB", 1, 0}};
constexpr Unit watts[] = {{"W", 1, 0}, {"uW", 1, -6}, {"mW", 1, -3}, {"kW", 1, 3}, {"MW", 1, 6}};
constexpr Unit metres[] = {{"m", 1, 0}, {"um", 1, -6}, {"mm", 1, -3}, {"cm", 1, -2, false}, {"km", 1, 3}};
constexpr Unit dollars[] = {{"USD", 1, 0}, {"kUSD", 1, 3, false}, {"MUSD", 1, 6, false}};

std::string invalid(const UnitTable& table, const std::string& text, const std::string& unit) {
  std::vector<std::string> names;
  for (const Unit& u : table.units) names.emplace_back(u.name);
  const std::string guess = unit.empty() ? "" : did_you_mean(unit, names);
  return fmt::format("invalid {} '{}' (expected a number with a unit: {}{})", table.type, text,
                     table.examples, guess.empty() ? "" : "; did you mean '" + guess + "'?");
}

/// Null and a filled `problem` when the text is no number with one of the units.
const Unit* find_unit(const UnitTable& table, const std::string& text, NumberText& number,
                      std::string& problem) {
  if (!split_number(text, number)) {
    problem = invalid(table, text, "");
    return nullptr;
  }
  for (const Unit& unit : table.units)
    if (number.unit == unit.name) return &unit;
  problem = invalid(table, text, number.unit);
  return nullptr;
}

std::string parse_integer(const UnitTable& table, const std::string& text, std::int64_t& value) {
  NumberText number;
  std::string problem;
  const Unit* unit = find_unit(table, text, number, problem);
  if (!unit) return problem;
  if (number.is_negative && !number.digits.empty())
    return fmt::format("invalid {} '{}' (must not be negative)", table.type, text);
  std::uint64_t magnitude = 0;
  const ScaleResult scaling = scale_to_integer(number, unit->factor, unit->exponent, magnitude);
  if (scaling == ScaleResult::too_fine)
    return fmt::format("invalid {} '{}' (finer than 1 {})", table.type, text, table.resolution);
  // The largest value itself means "never" and cannot be written as a number.
  if (scaling == ScaleResult::too_large || magnitude >= std::numeric_limits<std::int64_t>::max())
    return fmt::format("invalid {} '{}' (too large, at most 9.2e18 {})", table.type, text, table.resolution);
  value = static_cast<std::int64_t>(magnitude);
  return "";
}

std::string parse_real(const UnitTable& table, const std::string& text, bool may_be_negative, double& value) {
  NumberText number;
  std::string problem;
  const Unit* unit = find_unit(table, text, number, problem);
  if (!unit) return problem;
  if (number.is_negative && !number.digits.empty() && !may_be_negative)
    return fmt::format("invalid {} '{}' (must not be negative)", table.type, text);
  if (!scale_to_double(number, unit->exponent, value))
    return fmt::format("invalid {} '{}' (out of the range of a double)", table.type, text);
  return "";
}

}  // namespace

const UnitTable time_units{"time", "ps", "ns, us, ms, s, min, h", times};
const UnitTable byte_units{"size", "B", "B, KiB, MiB, GB", sizes};
const UnitTable bit_rate_units{"bandwidth", "bit/s", "Gb/s, GB/s, Tb/s", rates};
const UnitTable flops_units{"compute rate", "FLOP/s", "GFLOP/s, TFLOP/s, PFLOP/s", flops};
const UnitTable dbm_units{"optical power", "dBm", "dBm", dbm};
const UnitTable decibel_units{"gain or loss", "dB", "dB", decibels};
const UnitTable watt_units{"power", "W", "mW, W, kW", watts};
const UnitTable metre_units{"length", "m", "m, km", metres};
const UnitTable dollar_units{"price", "USD", "USD", dollars};

std::string parse_value(const std::string& text, SimTime& value) {
  if (text == "never") return value = time_never, "";
  std::int64_t count = 0;
  std::string problem = parse_integer(time_units, text, count);
  if (problem.empty()) value = SimTime{count};
  return problem;
}
std::string parse_value(const std::string& text, Bytes& value) {
  return parse_integer(byte_units, text, value.value);
}
std::string parse_value(const std::string& text, BitRate& value) {
  return parse_integer(bit_rate_units, text, value.value);
}
std::string parse_value(const std::string& text, Flops& value) {
  return parse_real(flops_units, text, false, value.value);
}
std::string parse_value(const std::string& text, PowerDbm& value) {
  return parse_real(dbm_units, text, true, value.value);
}
std::string parse_value(const std::string& text, Decibel& value) {
  return parse_real(decibel_units, text, true, value.value);
}
std::string parse_value(const std::string& text, Watts& value) {
  return parse_real(watt_units, text, false, value.value);
}
std::string parse_value(const std::string& text, Metres& value) {
  return parse_real(metre_units, text, false, value.value);
}
std::string parse_value(const std::string& text, Dollars& value) {
  return parse_real(dollar_units, text, false, value.value);
}

std::string parse_value(const std::string& text, double& value) {
  NumberText number;
  if (!split_number(text, number) || !number.unit.empty())
    return fmt::format("invalid number '{}' (expected a number without unit)", text);
  if (!scale_to_double(number, 0, value))
    return fmt::format("invalid number '{}' (out of the range of a double)", text);
  return "";
}

std::string parse_value(const std::string& text, std::int64_t& value) {
  NumberText number;
  std::uint64_t magnitude = 0;
  if (!split_number(text, number) || !number.unit.empty())
    return fmt::format("invalid number '{}' (expected a whole number without unit)", text);
  const ScaleResult scaling = scale_to_integer(number, 1, 0, magnitude);
  if (scaling == ScaleResult::too_fine)
    return fmt::format("invalid number '{}' (expected a whole number)", text);
  if (scaling == ScaleResult::too_large || magnitude > std::numeric_limits<std::int64_t>::max())
    return fmt::format("invalid number '{}' (too large, at most {})", text,
                       std::numeric_limits<std::int64_t>::max());
  value = static_cast<std::int64_t>(magnitude) * (number.is_negative ? -1 : 1);
  return "";
}

std::string parse_value(const std::string& text, std::uint32_t& value) {
  std::int64_t wide = 0;
  if (std::string problem = parse_value(text, wide); !problem.empty()) return problem;
  if (wide < 0) return fmt::format("invalid number '{}' (must not be negative)", text);
  if (wide > std::numeric_limits<std::uint32_t>::max())
    return fmt::format("invalid number '{}' (too large, at most {})", text,
                       std::numeric_limits<std::uint32_t>::max());
  value = static_cast<std::uint32_t>(wide);
  return "";
}

std::string parse_value(const std::string& text, bool& value) {
  for (const char* yes : {"on", "true", "yes"})
    if (text == yes) return value = true, "";
  for (const char* no : {"off", "false", "no"})
    if (text == no) return value = false, "";
  return invalid_choice(text, {"on", "off", "true", "false", "yes", "no"});
}

std::string parse_value(const std::string& text, std::string& value) {
  if (text.empty()) return "invalid text '' (must not be empty)";
  value = text;
  return "";
}

}  // namespace lightrail
