#pragma once
#include <cstdint>

#include "network/port/device_traits.hpp"
#include "network/routing/routing_kind.hpp"

namespace lightrail {

/// A device that forwards trains by RoutingTables.
class PacketSwitchTraits : public DeviceTraits {
 public:
  [[nodiscard]] DeviceRole role() const final { return DeviceRole::packet_switch; }
  [[nodiscard]] virtual const RoutingKind& routing_kind() const = 0;
  [[nodiscard]] virtual std::uint32_t lane_count() const = 0;  ///< virtual lanes of its ports

 protected:
  ~PacketSwitchTraits() = default;
};

}  // namespace lightrail
