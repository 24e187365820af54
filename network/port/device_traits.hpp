#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/base/time.hpp"
#include "engine/model/kind.hpp"
#include "network/health/port_change.hpp"

namespace lightrail {

/// What a device is to those who wire and price a system.
enum class DeviceRole : std::uint8_t {
  gpu,
  nvswitch,
  nic,
  host,
  storage,
  gateway,  ///< by which users come in
  packet_switch,
  optical_switch,
  controller,  ///< of optical switches, or of what runs on the GPUs: joined by control links
  other        ///< wired by what the scenario says alone
};

/// Ports of a NIC to its fabric at most (dual ToR).
inline constexpr std::uint32_t max_fabric_ports = 2;

/// What those who wire and price a system must know of a device; a Spec that is none of these is of role
/// `other` and has as many ports as are joined.
class DeviceTraits {
 public:
  [[nodiscard]] virtual DeviceRole role() const = 0;
  [[nodiscard]] virtual std::uint32_t radix() const { return 0; }       ///< ports; 0: as many as are joined
  [[nodiscard]] virtual SimTime arrival_latency() const { return {}; }  ///< added to links that end here
  [[nodiscard]] virtual Watts electrical_power() const { return Watts{}; }  ///< 0: not known
  /// Of a device of several planes, each with a line of its own to whoever is joined: their rates, as shares
  /// of the whole that add up to more than 0. Port k * n + i is plane k's to partner i of n. Empty: one
  /// plane.
  [[nodiscard]] virtual std::vector<std::uint32_t> plane_shares() const { return {}; }
  /// Of a GPU: a NIC may tell it of a batch of trains (BatchRest) instead of each.
  [[nodiscard]] virtual bool takes_batches() const { return false; }
  /// Of a NIC: its first ports, which lead to a fabric.
  [[nodiscard]] virtual std::uint32_t fabric_ports() const { return 1; }

 protected:
  ~DeviceTraits() = default;
};

/// The traits of a component's parameters; null when it has none.
[[nodiscard]] inline const DeviceTraits* traits_of(const Spec& spec) {
  return dynamic_cast<const DeviceTraits*>(&spec);
}
[[nodiscard]] inline DeviceRole role_of(const Spec& spec) {
  const DeviceTraits* traits = traits_of(spec);
  return traits ? traits->role() : DeviceRole::other;
}
[[nodiscard]] inline DeviceRole role_of(const Model& model, ComponentId id) {
  const std::uint32_t spec = model.components[id.value].spec;
  return spec < model.specs.size() ? role_of(*model.specs[spec]) : DeviceRole::other;
}
[[nodiscard]] inline bool takes_batches(const Model& model, ComponentId id) {
  const std::uint32_t spec = model.components[id.value].spec;
  const DeviceTraits* traits = spec < model.specs.size() ? traits_of(*model.specs[spec]) : nullptr;
  return traits && traits->takes_batches();
}
/// Of a NIC, that of its spec; 1 for what is none.
[[nodiscard]] inline std::uint32_t fabric_ports_of(const Spec& spec) {
  const DeviceTraits* traits = traits_of(spec);
  return traits ? traits->fabric_ports() : 1;
}
/// Whether `link` is one, and ends at a device of that role.
[[nodiscard]] inline bool leads_to(const Model& model, LinkId link, DeviceRole role) {
  return link.is_valid() && role_of(model, model.links[link.value].to) == role;
}

/// A device that passes light on from port to port.
class OpticalSwitchTraits : public DeviceTraits {
 public:
  [[nodiscard]] DeviceRole role() const final { return DeviceRole::optical_switch; }
  [[nodiscard]] virtual Decibel path_loss() const = 0;          ///< mean loss of a path
  [[nodiscard]] virtual Decibel path_loss_spread() const = 0;   ///< standard deviation from path to path
  [[nodiscard]] virtual Decibel port_drift_spread() const = 0;  ///< the same of what each port adds with age
  [[nodiscard]] virtual bool is_bidirectional() const = 0;      ///< a port's circuit carries both directions
  [[nodiscard]] virtual bool darkens_all() const = 0;           ///< a change interrupts circuits that stay
  /// Of its ports, by time: for the table of network/health, which the device then asks.
  [[nodiscard]] virtual std::span<const PortChange> port_changes() const { return {}; }

 protected:
  ~OpticalSwitchTraits() = default;
};

/// A device that is joined to others by control links.
class ControllerTraits : public DeviceTraits {
 public:
  [[nodiscard]] DeviceRole role() const final { return DeviceRole::controller; }
  [[nodiscard]] virtual SimTime control_latency() const = 0;                   ///< of its links, one way
  [[nodiscard]] virtual bool makes_one_way_circuits() const { return false; }  ///< light one way alone

 protected:
  ~ControllerTraits() = default;
};

}  // namespace lightrail
