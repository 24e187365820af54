#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/describe.hpp"
#include "engine/model/model.hpp"
#include "links/optical/optical_spec.hpp"
#include "links/train_settings.hpp"

namespace lightrail {

/// What one <link> element says, read once and evaluated for each direction of each cable of its kind.
struct Cable {
  std::string name;    ///< catalogue entry ("ndr_dr4"), or the kind
  std::string medium;  ///< "electrical", "optical", "nvlink", "pcie"
  BitRate rate{};      ///< payload
  SimTime transmit{}, propagation{}, receive{};
  double energy_pj_per_bit = 0;
  std::shared_ptr<const OpticalSpec> optics;  ///< null: not optical
  std::vector<ParameterValue> values;         ///< every effective parameter
  InputError place;                           ///< file and line of the element
};

/// Whether an end of an optical cable has a transceiver, or plugs into an optical switch without one.
enum class CableEnds : std::uint8_t { both, to_ocs, from_ocs, between_ocs };

/// Reads kind, parameters and the nested <transceiver> of a <link>. Mistakes go to `errors`.
[[nodiscard]] Cable read_cable(const Element& link, ErrorList& errors);

/// One direction of a cable. `arrival` is the fixed delay of the device it ends at (a switch's pipeline).
[[nodiscard]] LinkClass evaluate(const Cable& cable, CableEnds ends, SimTime arrival,
                                 const TrainSettings& trains);

/// A cable with a device at both ends, from its element. An optical cable whose light budget has a negative
/// margin or whose fibre is longer than the transceivers' reach is refused.
[[nodiscard]] LinkClass evaluate(const Element& link, const TrainSettings& trains, ErrorList& errors);

/// Parameters of every kind of link, for describe and the XSD: element name ("link kind=optical") and its
/// table.
[[nodiscard]] std::vector<std::pair<std::string, std::vector<ParameterDoc>>> link_documentation();

}  // namespace lightrail
