#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/model/model.hpp"
#include "network/health/health_table.hpp"
#include "network/health/port_outages.hpp"
#include "network/port/device_traits.hpp"

namespace lightrail {

/// Something that fails as a whole: a device, the cable at one of its ports, a port of an optical switch, a
/// chip of an NVSwitch.
struct FaultTarget {
  ComponentId device{};
  std::optional<std::uint32_t> port{};  ///< none: the whole device
  std::optional<std::uint32_t> chip{};  ///< with its links to all GPUs; no port then
};

/// What the faults of a scenario do.
struct FaultEffects {
  HealthTable::Outages links;
  PortOutages ports;
  HealthTable::Slowdowns gpus;
};

/// What the faults of a scenario may name. Looks all components' names up, so it is made only where there
/// are faults.
class FaultTargets {
 public:
  /// `model` has all components and links, and outlives it.
  explicit FaultTargets(const Model& model);

  /// The targets that `what` names: "nic3", "leaf2:17" (the cable at port 17), "nic*", "leaf*:0" or "leaf*:*"
  /// (every cable there, each once), "nvswitch0/2" (chip 2, which has links of its own), "nvswitch*/*".
  /// Returns "" or what is wrong.
  [[nodiscard]] std::string find(const std::string& what, std::vector<FaultTarget>& found) const;
  /// "leaf2:17".
  [[nodiscard]] std::string name_of(const FaultTarget& target) const;
  /// The target is down in that span: both directions of its cables to devices that can fail, the light of an
  /// optical switch's ports, GPUs; with a host its GPUs and the cables of its NICs, with an NVSwitch its
  /// GPUs, with a storage server the cables of its NICs; of a chip its links.
  void add(const FaultTarget& target, const Outage& outage, FaultEffects& effects) const;
  /// The GPUs that stand still with a device, in the order of its ports: itself, those at a host or NVSwitch.
  [[nodiscard]] std::vector<ComponentId> gpus(ComponentId device) const;
  /// The links out of the target, at its end, of its cables to devices that can fail and between GPUs and
  /// chips, in the order of ports.
  [[nodiscard]] std::vector<LinkId> cables(const FaultTarget& target) const;
  /// Ports that a fault may name.
  [[nodiscard]] std::uint32_t port_count(ComponentId id) const;

 private:
  [[nodiscard]] bool is_optical_switch(ComponentId id) const;
  [[nodiscard]] bool can_fail(ComponentId id) const;
  /// Those of that role that a device is joined to, in the order of its ports, each once.
  [[nodiscard]] std::vector<ComponentId> neighbours(ComponentId id, DeviceRole role) const;
  /// The links out of the NICs of a host or storage server, of their cables to devices that can fail.
  [[nodiscard]] std::vector<LinkId> cables_of_nics(ComponentId device) const;
  /// The link out of a port whose cable can fail; invalid: there is none.
  [[nodiscard]] LinkId cable(ComponentId id, std::uint32_t port) const;
  /// Chips of an NVSwitch that have links of their own; 0: it is none, or has none.
  [[nodiscard]] std::uint32_t chip_count(ComponentId id) const;
  /// Whether the link joins a GPU and a chip of an NVSwitch that has links of its own.
  [[nodiscard]] bool is_of_chip(LinkId link) const;
  [[nodiscard]] std::string find_chip(const std::string& name, const std::string& chip,
                                      std::vector<FaultTarget>& found) const;
  /// Whether a fault of it does anything.
  [[nodiscard]] bool is_of_use(const FaultTarget& target) const;
  [[nodiscard]] bool takes_others(ComponentId device) const;
  [[nodiscard]] std::string find_one(const std::string& name, const std::optional<std::string>& port,
                                     FaultTarget& target) const;
  void find_many(const std::string& pattern, const std::optional<std::string>& port,
                 std::vector<FaultTarget>& found) const;
  [[nodiscard]] std::string name_like(const std::string& name) const;

  const Model& model_;
  std::unordered_map<std::string, ComponentId> id_of_;  // looked up, never iterated
};

}  // namespace lightrail
