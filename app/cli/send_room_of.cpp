#include "app/cli/send_room_of.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/port/device_traits.hpp"
#include "network/port/port_end.hpp"

namespace lightrail {

SendRoom send_room_of(const Model& model) {
  SendRoom room;
  for (std::uint32_t c = 0; c < model.components.size(); ++c) {
    const DeviceRole role = role_of(model, ComponentId{c});
    if (role != DeviceRole::gpu && role != DeviceRole::nic) continue;
    const ComponentRecord& record = model.components[c];
    const std::vector<PortEnd> ends = port_ends({ComponentId{c}, record, *model.specs[record.spec], model});
    const auto leads_to = [&](const PortEnd& end) { return role_of(model, model.links[end.out.value].to); };
    const bool has_nvlink = std::any_of(ends.begin(), ends.end(), [&](const PortEnd& end) {
      return end.is_connected && leads_to(end) == DeviceRole::nvswitch;
    });
    for (const PortEnd& end : ends) {
      if (!end.is_connected || end.far.lanes == 0) continue;
      const DeviceRole to = leads_to(end);
      const bool is_near =
          to == DeviceRole::nvswitch || (role == DeviceRole::gpu && to == DeviceRole::host && !has_nvlink);
      if (is_near) room.near = std::min(room.near, std::int64_t{end.far.bytes});
      if (to == DeviceRole::packet_switch) room.far = std::min(room.far, std::int64_t{end.far.bytes});
    }
  }
  return room;
}

}  // namespace lightrail
