#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "components/ocs/circuit_schedule.hpp"
#include "engine/base/quantity.hpp"
#include "network/health/port_change.hpp"
#include "network/port/buffered_spec.hpp"
#include "network/port/device_traits.hpp"

namespace lightrail {

/// What goes dark when circuits change.
enum class DarkScope : std::uint8_t {
  changed,  ///< the circuits that are added
  all       ///< every circuit: one mirror array, one wavelength grid
};

struct OcsSpec final : BufferedSpec, OpticalSwitchTraits {
  std::uint32_t ports = 320;
  bool bidirectional = false;  ///< a port's circuit carries both directions; else each direction is its own
  SimTime dark_time = milliseconds(25);
  DarkScope dark = DarkScope::changed;
  bool serial = false;  ///< circuits are switched one after the other, dark_time each
  SimTime control_latency{0}, control_per_circuit{0};  ///< from a command to the first darkness
  SimTime control_jitter{0};                           ///< mean of an exponential delay on top
  Decibel insertion_loss{2.0};
  Decibel loss_spread{0.0};   ///< standard deviation of the loss from path to path
  Decibel drift_spread{0.0};  ///< standard deviation of what age and temperature add at each port
  std::string circuits;
  Watts power{0};

  CircuitTable first;                     ///< from `circuits`
  std::vector<Reconfiguration> schedule;  ///< rising times
  std::vector<PortChange> faults;         ///< of its <fault>s, rising times

  [[nodiscard]] InputBuffer input_buffer(PortIndex) const override { return {}; }
  [[nodiscard]] bool is_transparent() const override { return true; }
  [[nodiscard]] std::uint32_t radix() const override { return ports; }
  [[nodiscard]] Watts electrical_power() const override { return power; }
  [[nodiscard]] Decibel path_loss() const override { return insertion_loss; }
  [[nodiscard]] Decibel path_loss_spread() const override { return loss_spread; }
  [[nodiscard]] Decibel port_drift_spread() const override { return drift_spread; }
  [[nodiscard]] bool is_bidirectional() const override { return bidirectional; }
  [[nodiscard]] bool darkens_all() const override { return dark == DarkScope::all; }
  [[nodiscard]] std::span<const PortChange> port_changes() const override { return faults; }
};

/// Reads <fault at="1 ms" port="3" kind="failed"/> of `element`; without `port` the whole switch.
[[nodiscard]] std::vector<PortChange> parse_faults(const Element& element, std::uint32_t ports,
                                                   ErrorList& errors);

/// Parameters of <ocs>.
[[nodiscard]] Describe<OcsSpec> ocs_table();

/// The attributes of <ocs>, its circuits, schedule and faults.
[[nodiscard]] std::shared_ptr<const Spec> make_ocs_spec(const Element& element, ErrorList& errors);

}  // namespace lightrail
