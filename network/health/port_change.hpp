#pragma once
#include <cstdint>

#include "engine/base/time.hpp"

namespace lightrail {

/// What a port of an optical switch does for light.
enum class PortState : std::uint8_t {
  works,   ///< takes part from the next reconfiguration on
  failed,  ///< neither takes nor gives light
  stuck    ///< keeps the circuit it has
};

/// From `at` on a port is in another state. Who sends light to it is not told: what is lost on the way comes
/// back to its sender, and the switch tells its controller.
struct PortChange {
  static constexpr std::uint32_t all_ports = 0xffffffff;
  SimTime at{};
  std::uint32_t port = all_ports;
  PortState state = PortState::failed;
  bool operator==(const PortChange&) const = default;
};

}  // namespace lightrail
