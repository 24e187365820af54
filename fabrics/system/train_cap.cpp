#include "fabrics/system/train_cap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/base/counted.hpp"
#include "engine/scenario/units.hpp"
#include "network/port/buffered_spec.hpp"
#include "network/port/device_traits.hpp"
#include "network/port/port_end.hpp"
#include "network/port/train_lengths.hpp"

namespace lightrail {
namespace {

bool is_fabric(const LinkClass& link) {
  return link.medium == "electrical" || link.medium == "optical";
}

/// Of a port and lane behind `link` [B]; 0: there is none.
std::int64_t buffer_behind(const Model& model, const LinkRecord& link) {
  const Spec* spec = model.specs[model.components[link.to.value].spec].get();
  const auto* far = dynamic_cast<const BufferedSpec*>(spec);
  if (!far || far->is_transparent()) return 0;
  const InputBuffer buffer = far->input_buffer(link.to_port);
  return buffer.lanes > 0 ? buffer.bytes : 0;
}

/// Behind the fabric's links, or behind those that lead to switches [B]; none: the largest number.
std::int64_t smallest_buffer(const Model& model, bool of_switches) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const LinkRecord& link : model.links) {
    if (!is_fabric(model.link_classes[link.link_class])) continue;
    if (of_switches && role_of(model, link.to) != DeviceRole::packet_switch) continue;
    if (const std::int64_t bytes = buffer_behind(model, link); bytes > 0) least = std::min(least, bytes);
  }
  return least;
}

}  // namespace

std::string TrainCap::text() const {
  static_assert(trains_per_buffer == 10 && trains_per_marked_queue == 8);
  const char* share = of == Of::buffer ? "a tenth of the smallest buffer"
                                       : "an eighth of the queue that congestion control marks at";
  return fmt::format("of {} instead of {}: {} ({})", counted(used, "packet"), asked, share,
                     format_value(Bytes{bytes}));
}

std::shared_ptr<const TrainCap> cap_trains(Model& model, const CongestionSpec* marks) {
  TrainCap cap;
  cap.bytes = smallest_buffer(model, false);
  std::int64_t longest = cap.bytes / trains_per_buffer;  // [B]
  if (marks && marks->threshold > 0) {
    const std::int64_t queue = marks->marked_above(Bytes{smallest_buffer(model, true)}).value;
    if (queue / trains_per_marked_queue < longest) {
      cap.of = TrainCap::Of::marked_queue, cap.bytes = queue;
      longest = queue / trains_per_marked_queue;
    }
  }
  for (LinkClass& link : model.link_classes) {
    if (!is_fabric(link)) continue;
    const std::int64_t packets = longest / link.mtu_bytes;
    const auto used = static_cast<std::uint32_t>(std::clamp<std::int64_t>(packets, 1, link.grain));
    if (used == link.grain) continue;
    cap.asked = link.grain, cap.used = used;
    link.grain = used;
  }
  return cap.asked == 0 ? nullptr : std::make_shared<const TrainCap>(cap);
}

std::string long_nvlink_trains(const Model& model) {
  std::int64_t train = 0, buffer = 1;
  for (const LinkRecord& link : model.links) {
    if (role_of(model, link.to) != DeviceRole::nvswitch) continue;
    const LinkClass& line = model.link_classes[link.link_class];
    const std::int64_t behind = buffer_behind(model, link);
    const std::int64_t bytes = std::int64_t{line.grain} * line.mtu_bytes;
    if (behind > 0 && bytes * buffer > train * behind) train = bytes, buffer = behind;
  }
  if (2 * train <= buffer) return "";
  return fmt::format(
      "trains of {} on NVLink take more than half of an NVSwitch's buffer ({}): steps were 0.2 to 0.9 % "
      "longer so than packet by packet (docs/scaling.md)",
      format_value(Bytes{train}), format_value(Bytes{buffer}));
}

std::uint32_t short_trains(const Model& model) {
  std::uint32_t shortest = 0;
  for (std::uint32_t id = 0; id < model.components.size(); ++id) {
    if (role_of(model, ComponentId{id}) != DeviceRole::nic) continue;
    const ComponentRecord& record = model.components[id];
    const BuildContext build{ComponentId{id}, record, *model.specs[record.spec], model};
    const auto ports = std::min<std::uint32_t>(record.port_count, fabric_ports_of(build.spec));
    for (std::uint32_t port = 0; port < ports; ++port) {
      const PortEnd end = port_end(build, static_cast<PortIndex>(port));
      const TrainLengths lengths(end, true);
      if (!lengths.vary()) continue;
      const std::uint32_t packets = lengths.shorter() / end.mtu_bytes;
      shortest = shortest == 0 ? packets : std::min(shortest, packets);
    }
  }
  return shortest;
}

}  // namespace lightrail
