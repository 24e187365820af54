#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/model/describe.hpp"
#include "engine/model/model.hpp"

namespace lightrail {

/// Model resource: what the built network consists of, with prices and electrical power. Only scenarios with
/// <prices> have one.
struct BillOfMaterials {
  struct Line {
    std::string what;  ///< "switch ports, 400 Gb/s"
    std::int64_t count = 0;
    Dollars each{};
    Watts power_each{};  ///< 0: not known, or counted elsewhere
    [[nodiscard]] Dollars cost() const { return Dollars{each.value * static_cast<double>(count)}; }
    [[nodiscard]] Watts power() const { return Watts{power_each.value * static_cast<double>(count)}; }
  };
  std::vector<Line> lines;
  BitRate nic_rate{};  ///< of all NICs together, one direction

  [[nodiscard]] Dollars cost() const {
    Dollars sum{};
    for (const Line& line : lines) sum += line.cost();
    return sum;
  }
  [[nodiscard]] Watts power() const {
    Watts sum{};
    for (const Line& line : lines) sum += line.power();
    return sum;
  }
  /// Power over the rate of all NICs [pJ/bit]: what a bit takes when every NIC sends; 0 without NICs.
  [[nodiscard]] double pj_per_bit() const {
    return nic_rate.value > 0 ? power().value * 1e12 / static_cast<double>(nic_rate.value) : 0;
  }
};

/// Counts what the built model has and prices it by <prices>: every NIC; every port of every packet switch;
/// a transceiver at every end of an optical link but those at optical switches; a fibre for every optical
/// link; every circulator; every optical switch port in use; with nvlink="on" every NVSwitch port. With
/// fill="on" ports of packet switches that nothing uses carry a transceiver and half a fibre too.
/// Returns the resources BillOfMaterials and NetworkCost; none of them when there are mistakes.
[[nodiscard]] ModelPart price_network(const Element& prices, const Model& model, ErrorList& errors);

/// The bill as a table with its sums; "" without one.
[[nodiscard]] std::string bill_text(const Model& model);

/// Elements <prices> and <price>.
[[nodiscard]] std::vector<std::pair<std::string, std::vector<ParameterDoc>>> price_documentation();

}  // namespace lightrail
