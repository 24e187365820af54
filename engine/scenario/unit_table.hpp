#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace lightrail {

/// One unit of a type: 1 unit = factor * 10^exponent of the type's resolution.
struct Unit {
  const char* name;
  std::uint64_t factor;
  int exponent;
  bool is_for_output = true;
};

/// What parsing, formatting and messages know of a type of quantity.
struct UnitTable {
  const char* type;        ///< "bandwidth"
  const char* resolution;  ///< "bit/s", the unit of the stored number
  const char* examples;    ///< shown in messages
  std::span<const Unit> units;
};

extern const UnitTable time_units, byte_units, bit_rate_units, flops_units, dbm_units, decibel_units,
    watt_units, metre_units, dollar_units;

}  // namespace lightrail
