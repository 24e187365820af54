#pragma once
#include <cstdint>
#include <vector>

#include "engine/model/model.hpp"
#include "network/routing/fabric_paths.hpp"

namespace lightrail {

/// How a fabric by messages is cut into parts, each with the NICs of whole servers: pods, whose servers have
/// leaves in common, or several neighbouring pods where there are more than `most`; one part where paths take
/// no time. Follows from the model alone.
struct MessageParts {
  static constexpr std::uint16_t most = 128;  ///< each has a link to every other
  std::uint16_t count = 1;
  std::vector<std::uint16_t> of_nic;  ///< by NIC, in the order of `nics`
  std::vector<SimTime> apart;         ///< by part and part: of the shortest path between two of their NICs

  [[nodiscard]] SimTime between(std::uint16_t from, std::uint16_t to) const {
    return apart[std::size_t{from} * count + to];
  }
};

/// `nics`: of one fabric.
[[nodiscard]] MessageParts message_parts(const Model& model, const FabricPaths& paths,
                                         const std::vector<FabricPaths::Attached>& nics);

}  // namespace lightrail
