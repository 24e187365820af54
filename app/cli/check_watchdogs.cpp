#include "app/cli/check_watchdogs.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "components/ethernet-switch/ethernet_switch.hpp"
#include "components/nic/nic.hpp"
#include "network/port/device_traits.hpp"

namespace lightrail {
namespace {

bool repairs(const NicSpec& nic, std::uint32_t lane) {
  return nic.flow_control != NicFlowControl::pauses || (nic.repaired_lanes() >> lane & 1) != 0;
}

/// A NIC that does not repair `lane`, behind switches of the Spec `spec`; invalid: there is none.
ComponentId nic_without_repair(const Model& model, std::uint32_t spec, std::uint32_t lane) {
  std::vector<bool> seen(model.components.size());
  std::vector<std::uint32_t> found;
  for (std::uint32_t id = 0; id < model.components.size(); ++id)
    if (model.components[id].spec == spec) found.push_back(id), seen[id] = true;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const ComponentRecord& record = model.components[found[i]];
    for (std::uint32_t p = 0; p < record.port_count; ++p) {
      const LinkId out = model.ports[record.first_port + p].out;
      if (!out.is_valid()) continue;
      const ComponentId far = model.links[out.value].to;
      if (seen[far.value]) continue;
      seen[far.value] = true;
      const Spec& own = *model.specs[model.components[far.value].spec];
      if (role_of(own) == DeviceRole::packet_switch) found.push_back(far.value);
      if (const auto* nic = dynamic_cast<const NicSpec*>(&own); nic && !repairs(*nic, lane)) return far;
    }
  }
  return {};
}

}  // namespace

void check_watchdogs(const Model& model, ErrorList& errors) {
  for (std::uint32_t spec = 0; spec < model.specs.size(); ++spec) {
    const auto* device = dynamic_cast<const EthernetSwitchSpec*>(model.specs[spec].get());
    if (!device) continue;
    for (const WatchdogSpec& one : device->watchdogs) {
      if (one.action != StormAction::drop) continue;
      const ComponentId nic = nic_without_repair(model, spec, one.lane);
      if (nic.is_valid())
        errors.add({one.at.file, one.at.line,
                    fmt::format("<watchdog> of class {} drops what is in a storm, and {} takes the class for "
                                "lossless and repairs nothing of it (<nic repair-of=\"all\">)",
                                one.lane, model.component_name(nic))});
    }
  }
}

}  // namespace lightrail
