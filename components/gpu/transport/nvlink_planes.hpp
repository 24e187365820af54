#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/component.hpp"
#include "network/port/injector.hpp"

namespace lightrail {

/// The ports of a GPU that lead to the planes of its NVSwitch, and which of them a message takes: the hash of
/// its flow chooses, in proportion to the planes' rates. What a switch adds up goes the same way from all
/// GPUs, since it is added in one chip. Fixed.
class NvlinkPlanes {
 public:
  explicit NvlinkPlanes(const BuildContext& build);

  /// Whether `port` leads to a plane.
  [[nodiscard]] bool has(PortIndex port) const;
  /// Of a message for NVLink.
  [[nodiscard]] PortIndex port_of(const Outgoing& message) const;

 private:
  struct Plane {
    PortIndex port = 0;
    std::uint64_t rates = 0;  ///< of it and those before it [bit/s]
  };
  std::vector<Plane> planes_;
};

}  // namespace lightrail
