#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/quantity.hpp"

namespace lightrail {

/// Model resource: what the built network consists of, with prices and electrical power. Only scenarios with
/// <prices> have one.
struct BillOfMaterials {
  struct Line {
    std::string what;  ///< "switch ports, 400 Gb/s"
    std::int64_t count = 0;
    Dollars each{};
    Watts power_each{};  ///< 0: not known, or counted elsewhere
    Dollars cost() const { return Dollars{each.value * static_cast<double>(count)}; }
    Watts power() const { return Watts{power_each.value * static_cast<double>(count)}; }
  };
  std::vector<Line> lines;
  BitRate nic_rate{};  ///< of all NICs together, one direction

  Dollars cost() const {
    Dollars sum{};
    for (const Line& line : lines) sum += line.cost();
    return sum;
  }
  Watts power() const {
    Watts sum{};
    for (const Line& line : lines) sum += line.power();
    return sum;
  }
  /// Power over the rate of all NICs [pJ/bit]: what a bit takes when every NIC sends; 0 without NICs.
  double pj_per_bit() const {
    return nic_rate.value > 0 ? power().value * 1e12 / static_cast<double>(nic_rate.value) : 0;
  }
};

}  // namespace lightrail
